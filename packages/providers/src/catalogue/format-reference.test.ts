import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ProviderFileOutline, ProviderObject } from './format/provider-file.ts'
import { formatReference } from './format-reference.ts'
import { chapters, type Shown } from './format-sections.ts'

/** docs/provider-file-reference.md has all of the format, and each part of it once. */

const page = readFileSync(new URL('../../../../docs/provider-file-reference.md', import.meta.url), 'utf8')
const reference = formatReference()

it('the page is the one that the schema makes (scripts/write-format-reference.ts writes it)', () => {
  const written = page.split('<!-- reference -->')[1]?.split('<!-- /reference -->')[0]
  expect(written?.trim()).toBe(reference.trim())
})

interface Row {
  key: string
  /** The section that the key links to. */
  anchor: string
  text: string
  isNeeded: boolean
  /** The list that the row is in: its section, and the keys above. */
  list: string
}

const name = '(?:`\\w+`|\\[`\\w+`\\]\\(#[\\w-]+\\))\\*?'
const rowForm = new RegExp(`^( *)- (${name}(?:, ${name})*|\\*\\*.*?\\*\\*)(.*)$`)
/** A single key inside is in the row of the key that has it. */
const onlyForm = new RegExp(` Its (${name}(?:, ${name})*)((?: \\(|[:.]).*)$`)

function rowsOf(markdown: string): Row[] {
  const above: string[] = []
  let section = ''
  return markdown.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) section = line
    const [, indent = '', names = '', text = ''] = rowForm.exec(line) ?? []
    if (names === '') return []
    above.splice(indent.length / 2, above.length, names)
    const list = [section, ...above.slice(0, -1)].join(' > ')
    const [, only, meaning = ''] = onlyForm.exec(text) ?? []
    const own = namedRows(names, text, list)
    return only === undefined ? own : [...own, ...namedRows(only, meaning, [section, ...above].join(' > '))]
  })
}

function namedRows(names: string, text: string, list: string): Row[] {
  return names.split(', ').map((one) => ({
    key: /`(.+)`/.exec(one)?.[1] ?? '',
    anchor: /#([\w-]+)/.exec(one)?.[1] ?? '',
    text,
    isNeeded: one.endsWith('*') && !one.endsWith('**'),
    list,
  }))
}

const rows = rowsOf(reference)
const sections = new Map(
  reference.split('\n## ').map((text) => [text.split('\n')[0]?.toLowerCase().replaceAll(' ', '-') ?? '', text]),
)

/** Returns each key of a schema, however deep, with the schema of its value. Conditions have paths in place of keys. */
function keysOf(schema: unknown, found: { key: string; value: Shown; isNeeded: boolean }[] = []) {
  if (typeof schema !== 'object' || schema === null) return found
  const { properties = {}, required = [], patternProperties = {} } = schema as Shown
  if (Object.values(patternProperties).some((value) => value.properties?.present !== undefined)) return found
  for (const [key, value] of Object.entries(properties)) found.push({ key, value, isNeeded: required.includes(key) })
  for (const part of Object.values(schema)) keysOf(part, found)
  return found
}

const keys = keysOf([ProviderFileOutline, ProviderObject])

it('each key has its whole description, its values, and says whether it is required', () => {
  const isShown = ({ key, value, isNeeded }: (typeof keys)[number]) => {
    const { description = '', const: only, enum: values = [] } = value
    if (description === '') return true
    if (typeof only === 'string') return reference.includes(`**\`${key}: ${only}\`**: ${description}`)
    const row = rows.find(
      (one) =>
        one.key === key &&
        `${one.text} ${sections.get(one.anchor)}`.includes(description) &&
        [...values, ...(value.items?.enum ?? [])].every((each) => one.text.includes(`\`${each}\``)),
    )
    return row !== undefined && (row.isNeeded === isNeeded || hasOtherwise(key, isNeeded))
  }
  expect(keys.length).toBeGreaterThan(1000)
  expect(keys.filter((key) => !isShown(key)).map(({ key, value }) => `${key}: ${value.description}`)).toEqual([])
})

/** Whether an object that has the key of another part says that it is required there, or that it is not. */
function hasOtherwise(key: string, isNeeded: boolean): boolean {
  const has = reference.split('\n').flatMap((line) => /(?:It|Each) has .*/.exec(line)?.[0] ?? [])
  const form = isNeeded ? `\`${key}\`\\*|\`${key}\` is required` : `\`${key}\`(?!\\*)|\`${key}\` is optional`
  return (
    rows.some((row) => row.key === key && row.isNeeded === isNeeded) || has.some((text) => new RegExp(form).test(text))
  )
}

/** Returns the keys that a section has: those of its rows, and those that its first line refers to. */
function keysIn(anchor: string): string[] {
  const [title = '', head = ''] = sections.get(anchor)?.split('\n') ?? []
  const own = rows.filter(({ list }) => list.replace('## ', '') === title.replace('## ', '')).map(({ key }) => key)
  const has = head.startsWith('- ') ? '' : (head.split('It has ').at(-1) ?? '')
  const partForm = /the keys of \[[^\]]+\]\(#([\w-]+)\)(?: \(no ([^)]+)\))?|((?:`\w+`\*?(?:, | and )?)+) of \[/g
  const others = [...has.matchAll(partForm)].flatMap(([, section, absent = '', names = '']) =>
    section === undefined ? namesIn(names) : keysIn(section).filter((key) => !namesIn(absent).includes(key)),
  )
  return [...own, ...others.filter((key) => !own.includes(key))]
}

const namesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, key = '']) => key)

it('a section has each of its keys once', () => {
  const all = chapters.flatMap(([, those]) => those).filter(({ schema }) => schema.properties !== undefined)
  const shown = all.map(({ title }) => [title, keysIn(title.toLowerCase().replaceAll(' ', '-')).toSorted()])
  expect(all.length).toBeGreaterThan(30)
  expect(shown).toEqual(all.map(({ title, schema }) => [title, Object.keys(schema.properties ?? {}).toSorted()]))
})

it('a list has a key once', () => {
  const lists = Object.entries(Object.groupBy(rows, ({ list, key }) => `${list} > ${key}`))
  expect(lists.length).toBeGreaterThan(600)
  expect(lists.flatMap(([key, all = []]) => (all.length > 1 ? [key] : []))).toEqual([])
})

/** Shorter descriptions may be repeated: a link to the first would not be shorter. */
const longMin = 40

it('what is defined once is described once: a use links to it', () => {
  // Neighbors share a row.
  const meanings = [...new Set(rows.map(({ list, text }) => `${list}\n${text}`))].flatMap((row) => {
    const meaning = row
      .split('\n')[1]
      ?.replace(onlyForm, '')
      .replace(/ (?:It|Each) has .*/, '')
    return /^(?: \(.*?\))?: (.*)$/.exec(meaning ?? '')?.[1] ?? []
  })
  const again = meanings.filter((one, at) => one.length >= longMin && meanings.indexOf(one) < at)
  expect(meanings.length).toBeGreaterThan(600)
  expect(again).toEqual([])
})

it('each link leads to a section', () => {
  const links = [...`${page}${reference}`.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor = '']) => anchor)
  expect(links.filter((anchor) => !sections.has(anchor))).toEqual([])
})
