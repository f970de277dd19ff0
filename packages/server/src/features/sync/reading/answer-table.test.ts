import { readFileSync } from 'node:fs'
import { answerTable, type ReadConsequence } from '@mortise/providers'
import { expect, it } from 'vitest'

const page = readFileSync(new URL('../../../../../../docs/reading.md', import.meta.url), 'utf8')

/** How the page begins to say what a read does. */
const words: Record<ReadConsequence, string> = {
  wait: 'waits',
  retry: 'retries',
  restart: 'reads the window again',
  credentials: 'fails; the connection becomes `bad_credentials`',
  fail: 'fails',
}

it('docs/reading.md says of each answer of a provider what a read does, in the order of the table', () => {
  const [, table = ''] = page.split('| The provider answers | A read |\n|---|---|\n')
  const rows = (table.split('\n\n')[0] ?? '').split('\n').map((row) => row.split('|').map((cell) => cell.trim()))
  const declared = Object.values(answerTable)
  expect(rows.map(([, answer]) => answer)).toEqual(declared.map(({ answer }) => answer))
  for (const [index, { read }] of declared.entries()) expect(rows[index]?.[2]).toMatch(new RegExp(`^${words[read]}`))
})
