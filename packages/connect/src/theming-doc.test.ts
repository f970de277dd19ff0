import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The tables of docs/connect-theming.md, against the elements. */

const page = readFileSync(new URL('../../../docs/connect-theming.md', import.meta.url), 'utf8')
const folder = new URL('elements/', import.meta.url)
const sources = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))

/** Cells of the table whose first heading this is, without its head. */
function tableOf(heading: string): string[][] {
  const [, rest = ''] = page.split(`\n| ${heading} |`)
  const rows = rest.split('\n\n')[0]?.split('\n').slice(2) ?? []
  return rows.map((row) => row.split('|').slice(1, -1))
}
const quoted = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
const unique = (names: readonly string[]) => [...new Set(names)].toSorted()
/** Everything that a pattern finds in the elements, each once. */
const found = (pattern: RegExp) =>
  unique(sources.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name)))

test('the parts are those of the elements', () => {
  expect(unique(tableOf('Where').flatMap(([, parts]) => quoted(parts)))).toEqual(found(/ part="([\w-]+)"/g))
})

test('each main button and each that removes something has its part', () => {
  for (const name of ['primary', 'danger'])
    for (const tag of sources.flatMap((text) => text.match(/<button[^$]*?class="[^>]*/g) ?? []))
      if (new RegExp(`class="${name}[ "]`).test(tag)) expect(tag).toContain(`part="${name}"`)
})

test('the variables are those that the styles use, with the setting of the project that each replaces', () => {
  const rows = tableOf('Variable').map(([variables, setting]) => [quoted(variables), quoted(setting)] as const)
  expect(unique(rows.flatMap(([variables]) => variables))).toEqual(found(/var\(\s*(--mortise-[a-z-]+)/g))
  const [, colors = ''] = /const colors = \[(.*)\] as const/.exec(sources.join('\n')) ?? []
  const settings = [...colors.matchAll(/'(\w+)'/g)].map(([, name = '']) => name)
  expect(unique(rows.flatMap(([, setting]) => setting))).toEqual(unique([...settings, 'radius', 'font']))
})

test('fields, buttons and tints lie on the surface; the background only stands in for one that is not set', () => {
  expect(sources.join('\n').match(/var\(--_bg\)/g)).toHaveLength(2)
})
