import { readFileSync } from 'node:fs'
import { providerErrorClasses } from '@mortise/providers'
import { expect, it, test } from 'vitest'
import { failuresPage } from '../../../scripts/failures-page.ts'
import { declaredProblems } from './app.ts'
import { apiEndpoints, commonEndpoints } from './features/index.ts'
import { type FailureRow, failureTable } from './features/provider-calls/calls/index.ts'
import type { Endpoint } from './kernel/http/index.ts'

const read = (name: string) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8')
const rows: FailureRow[] = Object.values(failureTable)

test('docs/provider-failures.md is the table (node scripts/run.mjs scripts/write-failures-doc.ts writes it)', () => {
  expect(read('provider-failures')).toBe(failuresPage())
})

test('each problem of the table is declared', () => {
  const declared = declaredProblems([...commonEndpoints, ...apiEndpoints] as Endpoint[])
  const named = rows.flatMap(({ problem, proxy }) => [problem, proxy]).filter((code) => code !== undefined)
  expect(named.filter((code) => !declared.has(code))).toEqual([])
})

/** How the page begins to say what a read does. */
const words: Record<FailureRow['read'], string> = {
  wait: 'waits',
  retry: 'retries',
  yield: 'waits',
  restart: 'reads the window again',
  reconnect: 'fails; the connection becomes `bad_credentials`',
  fail: 'fails',
}

it('docs/reading.md says of each answer of a provider what a read does, in the order of the table', () => {
  const [, table = ''] = read('reading').split('| The provider answers | A read |\n|---|---|\n')
  const lines = (table.split('\n\n')[0] ?? '').split('\n').map((row) => row.split('|').map((cell) => cell.trim()))
  const answers = providerErrorClasses.map((name) => failureTable[name])
  expect(lines.map(([, answer]) => answer)).toEqual(answers.map(({ happened }) => happened))
  for (const [index, { read }] of answers.entries()) expect(lines[index]?.[2]).toMatch(new RegExp(`^${words[read]}`))
})
