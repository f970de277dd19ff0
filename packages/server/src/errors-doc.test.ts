import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorsPage } from '../../../scripts/errors-page.ts'
import { declaredProblems } from './app.ts'
import { apiEndpoints, commonEndpoints } from './features/index.ts'
import type { Endpoint, ProblemClass } from './kernel/http/index.ts'
import { kernelProblems } from './kernel/http/index.ts'

const endpoints = [...commonEndpoints, ...apiEndpoints] as Endpoint[]
const problems = declaredProblems(endpoints)
const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')

test('every problem that an endpoint declares is in docs/errors.md, and no other', () => {
  const documented = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1])
  expect(documented.toSorted()).toEqual([...problems.keys()].toSorted())
})

test('docs/errors.md says what the problems say (node scripts/run.mjs scripts/write-errors-doc.ts writes it)', () => {
  expect(page).toBe(errorsPage(problems.values()))
})

test('no two problems share a code', () => {
  const classes = new Set<ProblemClass>([
    ...kernelProblems,
    ...endpoints.flatMap(({ declaration }) => declaration.problems ?? []),
  ])
  const codes = [...classes].map(({ declaration }) => declaration.code)
  expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([])
})

test.each([...problems.values()])('$code is a whole declaration', (declaration) => {
  const { code, status, title, detail, remedy } = declaration
  expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(600)
  expect(title).toMatch(/^[A-Z].*[^.]$/)
  expect(detail).toMatch(/^[A-Z].*\.$/s)
  expect(remedy).toMatch(/^[A-Z].*\.$/s)
})
