import { expect, it } from 'vitest'
import { RestartLimit } from './restart-limit.ts'

it('waits longer after each end, up to five seconds', () => {
  const limit = new RestartLimit()
  const delays = Array.from({ length: 8 }, (_, n) => limit.next(n * 1_000))
  expect(delays).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
})

it('forgets an end after a minute', () => {
  const limit = new RestartLimit()
  limit.next(0)
  limit.next(1_000)
  expect(limit.next(60_500)).toBe(200)
  expect(limit.next(200_000)).toBe(100)
})

it('gives up at the eleventh end within a minute', () => {
  const limit = new RestartLimit()
  for (let n = 0; n < 10; n++) expect(limit.next(n * 5_000)).toBeTypeOf('number')
  expect(limit.next(50_000)).toBeUndefined()
  // What has ended every ten seconds for an hour never reaches it.
  const slow = new RestartLimit()
  for (let n = 0; n < 360; n++) expect(slow.next(n * 10_000)).toBeTypeOf('number')
})
