import { expect, test } from 'vitest'
import { createMessageShares } from './message-shares.ts'

/** A clock that stands still until it is moved. */
function stopped() {
  let time = Date.UTC(2026, 0, 31)
  return { now: () => new Date(time), advance: (ms: number) => (time += ms) }
}

test('messages above the rate of an installation lie ahead, one interval after the other', () => {
  const { now, advance } = stopped()
  const shares = createMessageShares({ now })
  expect([shares.ahead('a'), shares.ahead('a'), shares.ahead('a'), shares.ahead('b')]).toEqual([0, 100, 200, 0])
  advance(250)
  expect([shares.ahead('a'), shares.ahead('b')]).toEqual([50, 0])
  advance(60_000)
  expect(shares.ahead('a')).toBe(0)
})

test('an installation that always exceeds its rate is at most six hours behind', () => {
  const { now, advance } = stopped()
  const shares = createMessageShares({ now })
  for (let n = 0; n < 6 * 36_000; n++) shares.ahead('a')
  expect([shares.ahead('a'), shares.ahead('a')]).toEqual([21_600_000, 21_600_000])
  advance(1)
  expect(shares.ahead('a')).toBe(21_600_000)
})

test('a clock that was set back makes no installation wait longer', () => {
  const { now, advance } = stopped()
  const shares = createMessageShares({ now })
  shares.ahead('a')
  advance(-24 * 3_600_000)
  expect(shares.ahead('a')).toBe(21_600_000)
  advance(48 * 3_600_000)
  expect(shares.ahead('a')).toBe(0)
})

test('quiet installations leave the memory, and count from the present again', () => {
  const { now, advance } = stopped()
  const shares = createMessageShares({ now })
  shares.ahead('a')
  advance(1_000)
  for (let n = 0; n < 20_001; n++) shares.ahead(`i${n}`)
  expect(shares.ahead('a')).toBe(0)
  expect(shares.ahead('i0')).toBe(100)
})
