import { expect, test } from 'vitest'
import type { ProcessGroup } from '../processes/index.ts'
import { createTestGroup } from '../processes/process-group.testkit.ts'
import { GroupWindows, RequestWindows } from './request-windows.ts'

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

test('the processes of a node grant a rate together, in the same second', async () => {
  const at = 5_000_100
  const [one, two] = createTestGroup(2).map((group) => new GroupWindows(40, group, 'requests', () => at))
  for (let n = 0; n < 30; n++) expect(one?.count('a').isBeyond).toBe(false)
  // What one process has granted, less what it has not reported yet, is no longer left at the other.
  await expect.poll(() => two?.look('a').remaining).toBe(9)
  for (let n = 0; n < 10; n++) expect(two?.count('a').isBeyond).toBe(false)
  expect(two?.count('a')).toEqual({ remaining: 0, msBeforeNext: 900, isBeyond: true })
  await expect.poll(() => one?.look('a').isBeyond).toBe(true)
  expect(one?.count('b')).toMatchObject({ remaining: 39, isBeyond: false })
})

test('a new second begins for all processes with the clock that they share', async () => {
  let at = 5_000_999
  const [one, two] = createTestGroup(2).map((group) => new GroupWindows(1, group, 'requests', () => at))
  one?.count('a')
  await expect.poll(() => two?.look('a').isBeyond).toBe(true)
  at += 1
  expect(two?.count('a')).toEqual({ remaining: 0, msBeforeNext: 1_000, isBeyond: false })
  // The clock was set back: a request of an earlier second is granted, not counted twice.
  at -= 1_000
  expect(two?.count('a').isBeyond).toBe(false)
})

test.each([
  ['one process', () => new RequestWindows(1, () => 5_000_000)],
  ['several', () => new GroupWindows(1, createTestGroup(2)[0] as ProcessGroup, 'requests', () => 5_000_000)],
])('looking does not count, in %s', (_, create) => {
  const windows = create()
  expect([windows.look('a'), windows.look('a')]).toEqual(
    Array(2).fill({ remaining: 0, msBeforeNext: 1_000, isBeyond: false }),
  )
  windows.count('a')
  expect(windows.look('a').isBeyond).toBe(true)
})
