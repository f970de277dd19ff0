import { expect, test } from 'vitest'
import { curveOf, percentile, untilDelivered } from './delivery-curve.ts'
import { headersOf, linesOf } from './field-values.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString()
const now = Date.parse(at(59))

test('every interval up to now is there, empty ones with zeros', () => {
  const { times, series, step } = curveOf(
    [
      { createTime: at(10), endTime: at(11), state: 'delivered' },
      { createTime: at(10), state: 'pending' },
      { createTime: at(40), endTime: at(45), state: 'failed' },
    ],
    now,
  )
  expect(step).toBe('minute')
  expect(times[0]).toBe(Date.parse(at(10)) / 1_000)
  // The last one is drawn beside the newest, and has nothing.
  expect(times.at(-1)).toBe(Date.parse(at(59)) / 1_000 + 60)
  const [delivered, waiting, failed] = series.map(({ values }) => values)
  for (const values of [delivered, waiting, failed]) expect(values).toHaveLength(times.length)
  expect([delivered?.[0], waiting?.[0], failed?.[0]]).toEqual([1, 1, 0])
  expect([delivered?.[30], waiting?.[30], failed?.[30]]).toEqual([0, 0, 1])
  expect(series.map(({ values }) => values.reduce((sum, value) => sum + value, 0))).toEqual([1, 1, 1])
})

test('a longer range has longer intervals, so that the bars stay few', () => {
  const year = curveOf([{ createTime: '2025-01-01T00:00:00Z', state: 'delivered' }], now)
  expect(year.step).toBe('day')
  const day = curveOf([{ createTime: new Date(now - 86_400_000).toISOString(), state: 'delivered' }], now)
  expect(day.times.length).toBeLessThan(100)
})

test('messages that were not delivered have no time until they were', () => {
  const took = untilDelivered([
    { createTime: at(0), endTime: at(2), state: 'delivered' },
    { createTime: at(0), endTime: at(1), state: 'delivered' },
    { createTime: at(0), endTime: at(9), state: 'failed' },
    { createTime: at(0), state: 'pending' },
  ])
  expect(took).toEqual([60_000, 120_000])
  expect([percentile(took, 0.5), percentile(took, 0.99), percentile([], 0.5)]).toEqual([60_000, 120_000, 0])
})

test('headers are read from lines and written as lines; a line that is none is named', () => {
  expect(headersOf('X-Team: growth\n\nAuthorization: Bearer a:b')).toEqual({
    headers: { 'X-Team': 'growth', Authorization: 'Bearer a:b' },
  })
  expect(headersOf(linesOf({ a: '1', b: '***' })).headers).toEqual({ a: '1', b: '***' })
  expect(headersOf('X-Team: growth\nnonsense').wrong).toBe('nonsense')
})
