import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { permissionsPage } from '../../../scripts/permissions-page.ts'
import { apiEndpoints, commonEndpoints } from './features/index.ts'
import type { Endpoint } from './kernel/http/index.ts'

const endpoints = [...commonEndpoints, ...apiEndpoints] as Endpoint[]
const page = readFileSync(new URL('../../../docs/permissions.md', import.meta.url), 'utf8')

test('docs/permissions.md says what decides (node scripts/run.mjs scripts/write-permissions-doc.ts writes it)', () => {
  expect(page).toBe(permissionsPage(endpoints))
})

test('every endpoint stands in one row of docs/permissions.md', () => {
  const documented = [...page.matchAll(/^\| `(\w+)` \| `[A-Z]+ \//gm)].map((match) => match[1])
  expect(documented.toSorted()).toEqual(endpoints.map(({ declaration }) => declaration.id).toSorted())
})
