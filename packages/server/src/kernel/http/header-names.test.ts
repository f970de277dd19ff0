import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { headerAliases, headerOf } from './index.ts'

const page = readFileSync(new URL('../../../../../docs/http.md', import.meta.url), 'utf8')

test('docs/http.md lists every name that a header is accepted under, and no other', () => {
  const rows = [...page.matchAll(/^\| `(x-mortise-[\w-]+)` \| `([\w-]+)` \|$/gm)].map(([, name, alias]) => [
    name,
    alias,
  ])
  expect(rows).toEqual(Object.entries(headerAliases))
})

test('a header is found under either name, and ours wins', () => {
  expect(headerOf({ 'x-amp-project-id': 'a' }, 'x-mortise-project-id')).toBe('a')
  expect(headerOf({ 'x-amp-project-id': 'a', 'x-mortise-project-id': 'b' }, 'x-mortise-project-id')).toBe('b')
  expect(headerOf({}, 'x-mortise-project-id')).toBeUndefined()
})
