import { describe, expect, it } from 'vitest'
import { probeDelayMs, retryDelayMs, retryScheduleMs } from './retry-schedule.ts'

const s = 1_000
const min = 60 * s
const h = 60 * min

describe('the retry schedule', () => {
  it.each([
    [1, 5 * s],
    [2, 5 * min],
    [3, 30 * min],
    [4, 2 * h],
    [5, 5 * h],
    [6, 10 * h],
    [7, 10 * h],
  ])('after failure %i waits %i ms, a fifth more or less', (failures, delay) => {
    expect(retryDelayMs(failures, 0.5)).toBe(delay)
    expect(retryDelayMs(failures, 0)).toBe(0.8 * delay)
    expect(retryDelayMs(failures, 1)).toBe(1.2 * delay)
  })

  it('ends after the eighth attempt', () => {
    expect(retryDelayMs(8, 0.5)).toBeUndefined()
  })

  it.each([
    ['less than the delay', 1 * s, 5 * min],
    ['between the delay and twice the delay', 7 * min, 7 * min],
    ['more than twice the delay', 24 * h, 10 * min],
  ])('hears Retry-After of %s as %i', (_, asked, heard) => {
    expect(retryDelayMs(2, 0.5, asked)).toBe(heard)
  })

  it('probes a failing destination by the same schedule, whose last delay repeats', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 50].map((probes) => probeDelayMs(probes, 0.5))).toEqual([
      ...retryScheduleMs,
      10 * h,
      10 * h,
    ])
  })
})
