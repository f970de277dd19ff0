import { expect, test } from 'vitest'
import { RequestWindows } from './request-windows.ts'

test('what is left falls with each request, and each credential has its own', () => {
  const windows = new RequestWindows(2)
  const told = ['a', 'a', 'b', 'a'].map((key) => windows.count(key))
  expect(told.map(({ remaining, isBeyond }) => [remaining, isBeyond])).toEqual([
    [1, false],
    [0, false],
    [1, false],
    [0, true],
  ])
})

test('a window ends a second after it began, however much was asked in it', () => {
  let at = 5_000
  const windows = new RequestWindows(1, () => at)
  expect(windows.count('a')).toEqual({ remaining: 0, msBeforeNext: 1_000, isBeyond: false })
  at += 999
  expect(windows.count('a')).toEqual({ remaining: 0, msBeforeNext: 1, isBeyond: true })
  at += 1
  expect(windows.count('a')).toEqual({ remaining: 0, msBeforeNext: 1_000, isBeyond: false })
})

test('no window lasts longer than a second, whatever the clock says', () => {
  const at = 612.769071
  expect(at + 1_000 - at).toBeGreaterThan(1_000)
  expect(new RequestWindows(1, () => at).count('a').msBeforeNext).toBe(1_000)
})
