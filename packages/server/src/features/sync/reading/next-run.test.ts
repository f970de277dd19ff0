import { describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { nextRun } from './next-run.ts'

const minute = 60_000
const spreadMs = 5 * minute
const midnight = new Date('2026-03-01T00:00:00Z')
const installations = Array.from({ length: 1_000 }, () => newId())

const runsOf = (schedule: string, installationId: string, count: number) => {
  const runs: Date[] = []
  for (let after = midnight; runs.length < count; after = runs.at(-1) ?? midnight)
    runs.push(nextRun(schedule, { after, installationId, spreadMs }))
  return runs.map((run) => run.getTime() - midnight.getTime())
}

describe('the next scheduled read', () => {
  it.each([
    ['* * * * *', minute],
    ['*/10 * * * *', 10 * minute],
    ['0 */6 * * *', 360 * minute],
  ])('of %s comes at the same interval for each installation', (schedule, interval) => {
    for (const id of installations.slice(0, 50)) {
      const [first = 0, ...more] = runsOf(schedule, id, 5)
      expect(first).toBeGreaterThan(0)
      expect(first).toBeLessThanOrEqual(interval)
      expect(more).toEqual([1, 2, 3, 4].map((times) => first + times * interval))
    }
  })

  it('is spread evenly over the interval', () => {
    const tenths = new Array<number>(10).fill(0)
    for (const id of installations) {
      const [first = 0] = runsOf('*/10 * * * *', id, 1)
      const tenth = Math.floor((first % (10 * minute)) / minute)
      tenths[tenth] = (tenths[tenth] ?? 0) + 1
    }
    for (const count of tenths) expect(count).toBeGreaterThan(50)
  })

  it('of a schedule that names an hour comes within the spread after it', () => {
    const offsets = installations.map((id) => (runsOf('0 2 * * *', id, 1)[0] ?? 0) - 120 * minute)
    for (const offset of offsets) {
      expect(offset).toBeGreaterThanOrEqual(0)
      expect(offset).toBeLessThan(spreadMs)
    }
    expect(new Set(offsets.map((offset) => Math.floor(offset / minute)))).toEqual(new Set([0, 1, 2, 3, 4]))
  })

  it('of schedules that are not regular never comes twice for one tick, and misses none', () => {
    const [first = 0, second = 0, third = 0] = runsOf('5,20 * * * *', installations[0] ?? '', 3)
    expect([15 * minute, 45 * minute]).toContain(second - first)
    expect(third - first).toBe(60 * minute)
  })

  it('is the tick of the schedule where nothing is spread', () => {
    for (const installationId of installations.slice(0, 10))
      expect(nextRun('*/10 * * * *', { after: midnight, installationId, spreadMs: 0 })).toEqual(
        new Date('2026-03-01T00:10:00Z'),
      )
  })
})
