import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readInstant, windowFilter, windowVariables } from './incremental.ts'

const since = new Date('2026-03-04T05:06:07.890Z')
const until = new Date('2026-03-05T00:00:00.500Z')

it.each([
  [{}, '2026-03-04T05:06:07.890Z', '2026-03-05T00:00:00.500Z'],
  [{ format: 'rfc3339Seconds' }, '2026-03-04T05:06:07Z', '2026-03-05T00:00:00Z'],
  [{ format: 'rfc3339Seconds', lowerBound: 'exclusive' }, '2026-03-04T05:06:06Z', '2026-03-05T00:00:00Z'],
  [{ format: 'unix', overlapSeconds: 60 }, '1772600707', '1772668800'],
  [{ format: 'unixMs', lowerBound: 'exclusive' }, '1772600767889', '1772668800500'],
  [{ format: 'date' }, '2026-03-04', '2026-03-05'],
] as const)('%j', (window, from, to) => {
  expect(windowVariables(window, since, until)).toEqual({ since: from, until: to })
})

it('a bound that is not given has no variable', () => {
  expect(windowVariables({}, undefined, until)).toEqual({ until: until.toISOString() })
  expect(windowVariables({}, undefined, undefined)).toEqual({})
})

it('consecutive windows miss no second: strict lower and upper bounds of whole seconds', () => {
  const window = { format: 'rfc3339Seconds', lowerBound: 'exclusive' } as const
  const instant = fc.integer({ min: 0, max: 4_000_000_000_000 })
  fc.assert(
    fc.property(instant, fc.tuple(instant, instant, instant), (changedMs, marks) => {
      const [a, b, c] = [...marks].sort((x, y) => x - y).map((ms) => new Date(ms))
      if (a === undefined || b === undefined || c === undefined || changedMs < a.getTime()) return
      const changedSecond = Math.floor(changedMs / 1000) * 1000
      // What the provider answers: strictly after `since`, strictly before `until`, in whole seconds.
      const isRead = (from: Date, to: Date) => {
        const bounds = windowVariables(window, from, to)
        return changedSecond > Date.parse(bounds['since'] ?? '') && changedSecond < Date.parse(bounds['until'] ?? '')
      }
      if (changedMs < Math.floor(c.getTime() / 1000) * 1000) expect(isRead(a, b) || isRead(b, c)).toBe(true)
    }),
  )
})

it('without a filter of the provider, records outside the window are dropped', () => {
  const filter = windowFilter({ filter: { timestamp: 'at' } }, since, until)
  const kept = filter?.([
    { id: 1, at: '2026-03-04T05:06:06.999Z' },
    { id: 2, at: '2026-03-04T05:06:07Z' },
    { id: 3, at: '2026-03-04 06:00:00' },
    { id: 4, at: 1772668800 },
    { id: 5, at: 1772668800501 },
    { id: 6, at: null },
    { id: 7 },
  ])
  expect(kept).toEqual({ kept: [2, 3, 4, 6, 7].map((id) => expect.objectContaining({ id }) as unknown), ended: false })
})

it('newest first: the first record older than the window ends the read', () => {
  const window = { filter: { timestamp: 'at', order: 'descending' } } as const
  expect(windowFilter(window, since, undefined)?.([{ at: '2026-03-06' }, { at: '2026-03-01' }])).toEqual({
    kept: [{ at: '2026-03-06' }],
    ended: true,
  })
  expect(windowFilter(window, undefined, until)?.([{ at: '2026-03-06' }])).toEqual({ kept: [], ended: false })
})

it('everything is read when no window is given', () => {
  expect(windowFilter({ filter: { timestamp: 'at' } }, undefined, undefined)).toBeUndefined()
})

it.each([
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
  ['2026-01-02T03:04:05', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02 03:04:05', '2026-01-02T03:04:05.000Z'],
  ['2026-01-02', '2026-01-02T00:00:00.000Z'],
  ['1767322800', '2026-01-02T03:00:00.000Z'],
  [1767322800123, '2026-01-02T03:00:00.123Z'],
])('%s is %s', (value, expected) => {
  expect(new Date(readInstant(value) ?? 0).toISOString()).toBe(expected)
})
