import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { elementEvents } from './elements/events.ts'
import { MortiseConnect, MortiseInstall, MortiseIntegrations, MortiseManage } from './index.ts'

/** The tables of docs/connect-embedding.md, against the elements. */

const page = readFileSync(new URL('../../../docs/connect-embedding.md', import.meta.url), 'utf8')
const elements = {
  'mortise-connect': MortiseConnect,
  'mortise-install': MortiseInstall,
  'mortise-manage': MortiseManage,
  'mortise-integrations': MortiseIntegrations,
}
const tags = Object.keys(elements) as (keyof typeof elements)[]

/** Rows of the table below a heading, as `name (attribute): element, element`. */
function rowsBelow(heading: string): string[] {
  const [, section = ''] = page.split(`### ${heading}\n`)
  const [text = ''] = section.split('\n##')
  const rows = text.split('\n').filter((line) => line.startsWith('| `'))
  return rows.map((row) => {
    const [, name = '', where = ''] = row.split('|').map((cell) => cell.replaceAll('`', '').trim())
    const listed = where === 'all' ? tags : where.split(', ')
    return `${name}: ${listed.toSorted().join(', ')}`
  })
}

/** The same from the elements: who has each name. */
function rowsOf(namesOf: (tag: keyof typeof elements) => readonly string[]): string[] {
  const names = new Set(tags.flatMap((tag) => namesOf(tag)))
  return [...names].map(
    (name) =>
      `${name}: ${tags
        .filter((tag) => namesOf(tag).includes(name))
        .toSorted()
        .join(', ')}`,
  )
}

test('the properties are those of the elements, with their attributes', () => {
  const namesOf = (tag: keyof typeof elements) =>
    [...elements[tag].elementProperties].flatMap(([name, { state, attribute }]) => {
      if (state) return []
      return typeof attribute === 'string' ? [`${String(name)} (${attribute})`] : [String(name)]
    })
  expect(rowsBelow('Properties').toSorted()).toEqual(rowsOf(namesOf).toSorted())
})

test('properties without an attribute are listed', () => {
  const withoutAttribute = tags.flatMap((tag) =>
    [...elements[tag].elementProperties].flatMap(([name, { state, attribute }]) =>
      !state && attribute === false ? [String(name)] : [],
    ),
  )
  const [, sentence = ''] = /^Set (.*?) as properties in JavaScript/m.exec(page) ?? []
  const listed = [...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name)
  expect(listed.toSorted()).toEqual([...new Set(withoutAttribute)].toSorted())
})

test('the events are those that the elements fire', () => {
  expect(rowsBelow('Events').toSorted()).toEqual(rowsOf((tag) => elementEvents[tag]).toSorted())
})

test('each element fires the events that its comment names', () => {
  for (const tag of tags) {
    const source = readFileSync(new URL(`elements/${tag.replace('mortise-', '')}.ts`, import.meta.url), 'utf8')
    const fired = [...source.matchAll(/@fires ([\w-]+)/g)].map(([, name]) => name)
    expect(fired.toSorted()).toEqual([...elementEvents[tag]].toSorted())
  }
})
