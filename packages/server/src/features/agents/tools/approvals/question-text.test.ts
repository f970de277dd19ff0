import { expect, test } from 'vitest'
import type { DeclaredTool } from '../declared-tools.ts'
import { questionText } from './question-text.ts'

const tool = { name: 'update_people', action: 'update', label: 'people', integrationName: 'crm' } as DeclaredTool
type Installation = Parameters<typeof questionText>[1]
const installation = { provider: 'sampleCrm', integration: { displayName: 'Our CRM' } } as Installation
const linesOf = (args: Record<string, unknown>) => questionText(tool, installation, args)?.split('\n').slice(1)

test('a question names each value, also nested ones, and those that are empty', () => {
  expect(
    linesOf({ id: 'c1', fields: { name: 'Ada', score: 7, tags: ['a', 'b'], note: '', old: null, more: {} } }),
  ).toEqual([
    'id: c1',
    'fields.name: Ada',
    'fields.score: 7',
    'fields.tags.1: a',
    'fields.tags.2: b',
    'fields.note: empty text',
    'fields.old: the value is removed',
    'fields.more: empty',
  ])
  expect(questionText(tool, installation, {})).toBe(
    'Call the tool update_people in Our CRM (sampleCrm)? It changes a record of people.',
  )
})

test('a value can neither begin a line nor hide another one', () => {
  expect(linesOf({ note: 'a\r\nid: c2\u2028\u202eb\u0000', 'x\ny': '`<b>"' })).toEqual(['note: a id: c2 b', 'x y: b'])
  expect(linesOf({ note: `${' '.repeat(2_000)}delete all` })).toEqual(['note: … (cut: 2010 characters)'])
  expect(linesOf({ note: `a${'b'.repeat(300)}` })?.[0]).toMatch(/^note: ab+… \(cut: 301 characters\)$/)
  expect(linesOf({ note: '\u200b' })).toEqual(['note: …'])
})

test('a call with more values than a question shows has none', () => {
  const values = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at]))
  expect(linesOf(values(40))).toHaveLength(40)
  expect(questionText(tool, installation, values(41))).toBeUndefined()
})

test('a deep value is one line', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`)
  expect(linesOf({ deep })).toHaveLength(1)
})
