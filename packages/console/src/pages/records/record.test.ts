import { expect, test } from 'vitest'
import { keyOfRecord, type StoredRecord, summaryOf } from './record.ts'

const record = { id: 'con_1', installationId: 'i1', objectName: 'contacts' } as StoredRecord

test('two workspaces of an installation may have records of one id', () => {
  expect(keyOfRecord(record)).not.toBe(keyOfRecord({ ...record, workspace: 'eu' }))
})

test('a row shows the first fields in one line, and cuts long values', () => {
  const fields = { email: 'a@x.example', notes: 'n'.repeat(1_000), score: 3 }
  const summary = summaryOf({ ...record, mappedFields: { stage: null }, fields })
  expect(summary).toMatch(/^stage: null, email: a@x\.example, notes: n{60}…, score: 3$/)
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, index]))
  expect(summaryOf({ ...record, fields: many }).split(', ')).toHaveLength(6)
})

test('a deleted record has nothing to show', () => {
  expect(summaryOf({ ...record, deletedTime: '2026-11-27T10:00:00Z' })).toBe('')
})
