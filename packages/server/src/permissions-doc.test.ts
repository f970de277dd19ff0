import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { permissionsPage } from '../../../scripts/permissions-page.ts'
import { apiOperations, commonOperations } from './features/index.ts'
import type { Operation } from './kernel/http/index.ts'

const operations = [...commonOperations, ...apiOperations] as Operation[]
const page = readFileSync(new URL('../../../docs/permissions.md', import.meta.url), 'utf8')

test('docs/permissions.md says what decides (node scripts/run.mjs scripts/write-permissions-doc.ts writes it)', () => {
  expect(page).toBe(permissionsPage(operations))
})

test('every operation stands in one row of docs/permissions.md', () => {
  const documented = [...page.matchAll(/^\| `(\w+)` \| `[A-Z]+ \//gm)].map((match) => match[1])
  expect(documented.toSorted()).toEqual(operations.map(({ declaration }) => declaration.id).toSorted())
})
