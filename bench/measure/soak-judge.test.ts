import { expect, test } from 'vitest'
import { judgeSoak, type SoakSample } from './soak-judge.ts'
import { limitsOf } from './soak-limits.ts'

const seconds = 600
const rate = 40
const limits = limitsOf(seconds / 60)

/** A run of ten minutes whose memory comes and goes by some megabytes, as that of a good service does. */
function samplesOf(change: (sample: SoakSample, at: number) => Partial<SoakSample> = () => ({})): SoakSample[] {
  return Array.from({ length: seconds / 10 }, (_, n) => {
    const at = (n + 1) * 10
    const wave = Math.sin(n * 1.7) * 2 * 2 ** 20
    const live = at * rate
    const sample: SoakSample = {
      at,
      deliveries: at * rate,
      resident: 200 * 2 ** 20 + wave,
      heap: 60 * 2 ** 20 + wave / 4,
      handles: 60,
      connections: 14,
      p99: 40 + (n % 5) * 10,
      missing: 0,
      tables: {
        messages_20260301: { live, dead: (n % 6) * 500, bytes: live * 1_000 },
        read_states: { live: 20, dead: (n % 6) * 50, bytes: 200_000 },
      },
    }
    return { ...sample, ...change(sample, at) }
  })
}

const failed = (samples: SoakSample[]) =>
  judgeSoak(samples, limits)
    .filter(({ holds }) => !holds)
    .map(({ check }) => check)

test('a service that stays as it is passes', () => {
  expect(failed(samplesOf())).toEqual([])
})

test('a leak of 1 KB for each delivery fails', () => {
  const leaked = (at: number) => at * rate * 1_024
  expect(failed(samplesOf((sample, at) => ({ heap: sample.heap + leaked(at) })))).toEqual(['heap, MB an hour'])
  expect(failed(samplesOf((sample, at) => ({ resident: sample.resident + leaked(at) })))).toEqual([
    'resident memory, MB an hour',
  ])
})

test('memory that grows in the first half alone passes: caches fill', () => {
  const filled = (at: number) => Math.min(at, seconds / 2) * 100_000
  expect(failed(samplesOf((sample, at) => ({ resident: sample.resident + filled(at) })))).toEqual([])
})

test('memory that the machine takes back in the middle, and that returns, passes', () => {
  const taken = (at: number) => (at > seconds / 2 && at < seconds * 0.7 ? 40_000_000 : 0)
  expect(failed(samplesOf((sample, at) => ({ resident: sample.resident - taken(at) })))).toEqual([])
})

test('a handle that is left open every four seconds, or a connection every ten, fails', () => {
  expect(failed(samplesOf(({ handles }, at) => ({ handles: handles + at / 4 })))).toEqual(['file handles'])
  expect(failed(samplesOf(({ connections }, at) => ({ connections: connections + at / 10 })))).toEqual([
    'database connections',
  ])
})

test('dead rows that no vacuum removes fail, and tables that grow with the same rows', () => {
  const tables = (at: number) => ({ read_states: { live: 20, dead: at * rate, bytes: 200_000 } })
  expect(failed(samplesOf((_, at) => ({ tables: tables(at) })))).toEqual(['dead rows of read_states'])
  const bloated = (at: number) => ({ read_states: { live: 20, dead: 0, bytes: at * 100_000 } })
  expect(failed(samplesOf((_, at) => ({ tables: bloated(at) })))).toEqual(['growth of read_states, MB'])
  const wide = (at: number) => ({ messages_20260301: { live: at * rate, dead: 0, bytes: at * at * rate * 10 } })
  expect(failed(samplesOf((_, at) => ({ tables: wide(at) })))).toEqual(['growth of messages_20260301, MB'])
})

test('a lag that grows fails, and so does an event that does not arrive', () => {
  expect(failed(samplesOf((_, at) => ({ p99: at ** 2 / 10 })))).toEqual(['p99 of the delivery lag, ms'])
  expect(failed(samplesOf((_, at) => ({ missing: at === seconds ? 1 : 0 })))).toEqual(['events that did not arrive'])
})
