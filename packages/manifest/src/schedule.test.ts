import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextTick, repeatInterval, validateSchedule } from './schedule.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('validateSchedule', () => {
  it.each<[string, number]>([
    ['* * * * *', MINUTE],
    ['*/10 * * * *', 10 * MINUTE],
    ['*/9 * * * *', 6 * MINUTE],
    ['0,5 * * * *', 5 * MINUTE],
    ['5/15 * * * *', 15 * MINUTE],
    ['0 * * * *', HOUR],
    ['0 */6 * * *', 6 * HOUR],
    ['0 */24 * * *', DAY],
    ['30 2,3 * * *', HOUR],
    ['0 0,23 * * *', HOUR],
    ['0 0,23 * * 1', 23 * HOUR],
    ['0 0,23 31 12 *', 23 * HOUR],
    ['0 0,23 1,31 1,12 *', HOUR],
    ['0 0,23 28 2 *', 23 * HOUR],
    ['0 0,23 1,28 2,3 *', HOUR],
    ['0 0,23 15 6 1', HOUR],
    ['0 0 * * mon,WED', 2 * DAY],
    ['0 0 1 * *', 28 * DAY],
    ['0 0 2 * *', 28 * DAY],
    ['0 0 28 * *', 28 * DAY],
    ['0 0 29 * *', 29 * DAY],
    ['0 0 29 2 *', 365 * DAY],
    ['  0\t0   * JAN-MAR *  ', DAY],
  ])('%s fires %i ms apart at least', (cron, leastIntervalMs) => {
    expect(validateSchedule(cron)).toEqual({ valid: true, leastIntervalMs })
  })

  it.each(['30 2 31 2 *', '0 0 30 2 *', '0 0 31 2,4,6,9,11 *'])('%s never fires', (cron) => {
    expect(validateSchedule(cron)).toMatchObject({ valid: false, reason: 'never-fires' })
  })

  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '0 * * * * 2030',
    '60 * * * *',
    '0 24 * * *',
    '0 0 0 * *',
    '0 0 32 * *',
    '0 0 * 13 *',
    '*/0 * * * *',
    '5-1 * * * *',
    '@daily',
    '? * * * *',
    '0 0 L * *',
    '0 0 15W * *',
    '0 0 * * 1#2',
    '0 0 29 2 +1',
    'every ten minutes or so',
    '0 0 * constructor *',
    `0 0 ${'1,'.repeat(500)}1 * *`,
  ])('%j is no schedule', (cron) => {
    expect(validateSchedule(cron)).toMatchObject({ valid: false, reason: 'syntax' })
  })

  it('no two ticks are ever closer than it says', () => {
    const list = (from: number, to: number) =>
      fc.oneof(
        { weight: 2, arbitrary: fc.constant('*') },
        fc.integer({ min: 2, max: to - from }).map((step) => `*/${step}`),
        fc
          .uniqueArray(fc.integer({ min: from, max: to }), { minLength: 1, maxLength: 3 })
          .map((days) => days.join(',')),
      )
    const cron = fc
      .tuple(list(0, 59), list(0, 23), list(1, 31), list(1, 12), list(0, 6))
      .map((parts) => parts.join(' '))
    const date = fc.date({ min: new Date('2020-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(cron, date, (pattern, start) => {
        const check = validateSchedule(pattern)
        if (!check.valid) {
          expect(check.reason).toBe('never-fires')
          return
        }
        let tick = nextTick(pattern, start)
        for (let i = 0; i < 20; i++) {
          const next = nextTick(pattern, tick)
          expect(next.getTime() - tick.getTime()).toBeGreaterThanOrEqual(Math.min(check.leastIntervalMs, 365 * DAY))
          tick = next
        }
      }),
      { numRuns: 100 },
    )
  })
})

describe('nextTick', () => {
  it('is after the moment, in UTC, whole minutes', () => {
    expect(nextTick('*/10 * * * *', new Date('2026-03-29T01:55:30.5Z'))).toEqual(new Date('2026-03-29T02:00:00Z'))
    expect(nextTick('0 2 * * *', new Date('2026-03-29T02:00:00Z'))).toEqual(new Date('2026-03-30T02:00:00Z'))
    expect(nextTick('0 0 29 2 *', new Date('2097-01-01T00:00:00Z'))).toEqual(new Date('2104-02-29T00:00:00Z'))
  })

  it('throws for what is no schedule or never fires', () => {
    expect(() => nextTick('x', new Date(0))).toThrow(RangeError)
    expect(() => nextTick('30 2 31 2 *', new Date(0))).toThrow(RangeError)
  })
})

describe('repeatInterval', () => {
  it.each([
    ['*/10 * * * *', 600_000],
    ['* * * * *', 60_000],
    ['30 * * * *', 3_600_000],
    ['5,20 * * * *', 900_000],
    ['0 */6 * * *', 6 * 3_600_000],
    ['*/10 * * * mon-fri', 600_000],
    ['0 2 * * *', undefined],
    ['*/10 9-17 * * *', undefined],
    ['0 8,20 * * *', undefined],
    ['0 */24 * * *', undefined],
  ])('of %s is %s', (cron, interval) => {
    expect(repeatInterval(cron)).toBe(interval)
  })

  it('refuses what is no schedule', () => {
    expect(() => repeatInterval('x')).toThrow(RangeError)
  })
})
