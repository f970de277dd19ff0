import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ProviderFileOutline, ProviderObject } from './format/provider-file.ts'
import { formatExamples } from './format-examples.ts'
import { formatReference } from './format-reference.ts'
import type { Shown } from './format-sections.ts'

/** docs/provider-file-reference.md has all of the format, and each part of it once. */

const page = readFileSync(new URL('../../../../docs/provider-file-reference.md', import.meta.url), 'utf8')
const reference = formatReference(formatExamples())

it('the page is the one that the schema makes (scripts/write-format-reference.ts writes it)', () => {
  const written = page.split('<!-- reference -->')[1]?.split('<!-- /reference -->')[0]
  expect(written?.trim()).toBe(reference.trim())
})

interface Row {
  key: string
  /** The section that the key links to. */
  anchor: string
  isNeeded: boolean
  text: string
  /** The list that the row is in: its section, its shape and the key above. */
  list: string
}

const rowForm = /^( *)- (?:`([^`]+)`|\[`([^`]+)`\]\(#([\w-]+)\))(\*?)(.*)$/

function rowsOf(markdown: string): Row[] {
  const above: string[] = []
  let block = ''
  return markdown.split('\n').flatMap((line) => {
    const found = rowForm.exec(line)
    if (found === null) {
      if (line !== '') block = line
      return []
    }
    const [, indent = '', plain, linked, anchor = '', star, text = ''] = found
    const key = plain ?? linked ?? ''
    const depth = indent.length / 2
    above.splice(depth, above.length, key)
    const list = [block, ...above.slice(0, depth)].join(' > ')
    const row = { key, anchor, isNeeded: star === '*', text, list }
    const [, inner, innerStar, meaning = ''] = / Its `(\w+)`(\*?)(.*)$/.exec(text) ?? []
    if (inner === undefined) return [row]
    return [row, { key: inner, anchor: '', isNeeded: innerStar === '*', text: meaning, list: `${list} > ${key}` }]
  })
}

const rows = rowsOf(reference)
const sections = new Map(
  reference.split('\n## ').map((text) => [text.split('\n')[0]?.toLowerCase().replaceAll(' ', '-') ?? '', text]),
)

/** Returns each key of a schema, however deep, with the schema of its value. Conditions have paths in place of keys. */
function keysOf(schema: unknown, found: { key: string; value: Shown; isNeeded: boolean }[] = []) {
  if (typeof schema !== 'object' || schema === null) return found
  const { properties = {}, required = [], propertyNames } = schema as Shown
  if (propertyNames?.format === 'path') return found
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
    return rows.some(
      (row) =>
        row.key === key &&
        row.isNeeded === isNeeded &&
        `${row.text} ${sections.get(row.anchor)}`.includes(description) &&
        [...values, ...(value.items?.enum ?? [])].every((one) => row.text.includes(`\`${one}\``)),
    )
  }
  expect(keys.length).toBeGreaterThan(1000)
  expect(keys.filter((key) => !isShown(key)).map(({ key, value }) => `${key}: ${value.description}`)).toEqual([])
})

it('no two lists have more than three keys in common: a use links to the section', () => {
  const lists = Object.entries(Object.groupBy(rows, ({ list }) => list))
  const common = lists.flatMap(([list, all = []], at) =>
    lists.slice(at + 1).flatMap(([other, others = []]) => {
      const twice = all.filter(({ key, text }) => others.some((one) => one.key === key && one.text === text))
      return twice.length > 3 ? [`${list} and ${other}: ${twice.map(({ key }) => key).join(', ')}`] : []
    }),
  )
  expect(lists.length).toBeGreaterThan(80)
  expect(common).toEqual([])
})

it('each link leads to a section', () => {
  const links = [...`${page}${reference}`.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor = '']) => anchor)
  expect(links.filter((anchor) => !sections.has(anchor))).toEqual([])
})
