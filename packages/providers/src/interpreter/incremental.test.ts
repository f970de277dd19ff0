import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readInstant, windowFilter, windowVariables } from './incremental.ts'

const since = new Date('2026-03-04T05:06:07.890Z')
const until = new Date('2026-03-05T00:00:00.500Z')

it.each([
  [{}, '2026-03-04T05:06:07.890Z', '2026-03-05T00:00:00.500Z'],
  [{ format: 'rfc3339Seconds' }, '2026-03-04T05:06:07Z', '2026-03-05T00:00:00Z'],
  [{ format: 'rfc3339Seconds', lowerBound: 'exclusive' }, '2026-03-04T05:06:06Z', '2026-03-05T00:00:00Z'],
  [{ format: 'rfc3339Offset' }, '2026-03-04T05:06:07+00:00', '2026-03-05T00:00:00+00:00'],
  [{ format: 'unix', overlapSeconds: 60 }, '1772600707', '1772668800'],
  [{ format: 'unixMs', lowerBound: 'exclusive' }, '1772600767889', '1772668800500'],
  [{ format: 'date' }, '2026-03-04', '2026-03-05'],
  [{ format: 'dateTime' }, '2026-03-04 05:06:07', '2026-03-05 00:00:00'],
  [{ format: 'dateTime', zone: 'Asia/Kolkata', lowerBound: 'exclusive' }, '2026-03-04 10:36:06', '2026-03-05 05:30:00'],
  [{ format: 'date', zone: 'Pacific/Auckland' }, '2026-03-04', '2026-03-05'],
  [{ format: 'date', zone: 'America/Los_Angeles' }, '2026-03-03', '2026-03-04'],
] as const)('%j', (window, from, to) => {
  expect(windowVariables(window, since, until)).toEqual({ since: from, until: to })
})

it('a local time that occurs twice becomes an hour earlier, so that nothing of the first one is missed', () => {
  const window = { format: 'dateTime', zone: '{{zone}}' } as const
  const zone = () => 'Europe/Berlin'
  const since = (text: string) => windowVariables(window, new Date(text), undefined, zone)['since']
  // Clocks go back from 3:00 to 2:00 at 1:00 UTC.
  expect(since('2026-10-24T23:30:00Z')).toBe('2026-10-25 01:30:00')
  expect(since('2026-10-25T00:30:00Z')).toBe('2026-10-25 01:30:00')
  expect(since('2026-10-25T01:30:00Z')).toBe('2026-10-25 02:30:00')
})

it('a zone that does not exist, or has no value, fails the read', () => {
  const window = { format: 'dateTime', zone: '{{zone}}' } as const
  for (const zone of ['Mars/Olympus', undefined])
    expect(() => windowVariables(window, since, until, () => zone)).toThrow('is not known')
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
