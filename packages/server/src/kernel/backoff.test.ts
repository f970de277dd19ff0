import fc from 'fast-check'
import { expect, it } from 'vitest'
import { backoffMs, jittered } from './backoff.ts'

it('doubles from the first delay up to the longest', () => {
  const delays = [0, 1, 2, 3, 50, 1_000].map((failures) => backoffMs({ firstMs: 1_000, maxMs: 5_000 }, failures, 0.5))
  expect(delays).toEqual([1_000, 2_000, 4_000, 5_000, 5_000, 5_000])
})

it('grows by another factor where one is given', () => {
  const delays = [0, 1, 2].map((failures) => backoffMs({ firstMs: 10, maxMs: 1_000, factor: 5 }, failures, 0.5))
  expect(delays).toEqual([10, 50, 250])
})

it('varies by a fifth, and never by more', () => {
  expect([jittered(1_000, 0), jittered(1_000, 0.5), jittered(1_000, 0.999_999)]).toEqual([800, 1_000, 1_200])
  fc.assert(
    fc.property(fc.nat(), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (failures, random) => {
      const ms = backoffMs({ firstMs: 60_000, maxMs: 86_400_000, factor: 3 }, failures, random)
      expect(ms).toBeGreaterThanOrEqual(48_000)
      expect(ms).toBeLessThanOrEqual(103_680_000)
    }),
  )
})
