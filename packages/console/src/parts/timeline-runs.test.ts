import type { Item } from '@mortise/client'
import { describe, expect, test } from 'vitest'
import { dayOf, foldRuns } from './timeline-runs.ts'

type Entry = Item<'listTimeline'>

let ids = 0
const entry = (more: Partial<Entry> = {}): Entry => ({
  id: String(++ids),
  time: '2026-05-04T12:00:00Z',
  kind: 'operation.read',
  title: '20 records read',
  status: 'success',
  objectName: 'contacts',
  installationId: 'i',
  details: { readType: 'scheduled' },
  ...more,
})
const sizes = (entries: Entry[]) => foldRuns(entries).map((run) => run.entries.length)

describe('runs of a time line', () => {
  test('three equal scheduled reads that worked are one line', () => {
    expect(sizes([entry(), entry(), entry(), entry()])).toEqual([4])
  })
  test('two stay two', () => {
    expect(sizes([entry(), entry()])).toEqual([1, 1])
  })
  test('a failure is never folded, and separates', () => {
    const failure = entry({ status: 'failure' })
    expect(sizes([entry(), entry(), entry(), failure, entry(), entry(), entry()])).toEqual([3, 1, 3])
    expect(sizes([failure, entry({ status: 'failure' }), entry({ status: 'failure' })])).toEqual([1, 1, 1])
  })
  test.each([
    ['another object', { objectName: 'companies' }],
    ['another installation', { installationId: 'j' }],
    ['another day', { time: '2026-05-02T12:00:00Z' }],
    ['a backfill', { details: { readType: 'backfill' } }],
    ['another kind', { kind: 'operation.write' as const }],
  ])('%s is not folded with others', (_, more) => {
    expect(sizes([entry(), entry(more), entry()])).toEqual([1, 1, 1])
    expect(sizes([entry(), entry(), entry(), entry(more)])).toEqual([3, 1])
  })
})

test('days have names that a reader knows', () => {
  const now = new Date(2026, 4, 4, 9)
  expect(dayOf(new Date(2026, 4, 4, 1).toISOString(), now)).toBe('Today')
  expect(dayOf(new Date(2026, 4, 3, 23).toISOString(), now)).toBe('Yesterday')
  expect(dayOf(new Date(2025, 4, 3, 23).toISOString(), now)).toContain('2025')
})
