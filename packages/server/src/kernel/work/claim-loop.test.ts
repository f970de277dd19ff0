import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testkit/test-database.ts'
import { openTestPubSub } from '../../testkit/test-pubsub.ts'
import { newId } from '../db/index.ts'
import { PubSub } from '../pubsub/index.ts'
import { createLogger, createMetrics, type Metrics } from '../telemetry/index.ts'
import { type ClaimLoop, publishDue, startClaimLoops } from './index.ts'

let testDatabase: TestDatabase
let pubsub: PubSub
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  pubsub = await openTestPubSub(testDatabase.database)
})
afterAll(async () => {
  await pubsub?.close()
  await testDatabase?.drop()
})

interface Unit {
  end(outcome?: 'more'): void
  fail(error: Error): void
  signal: AbortSignal
}

/** A loop with a list of due units, and what it claimed. */
function declare(more: Partial<ClaimLoop> = {}) {
  const due: string[] = []
  const claims: number[] = []
  const units: Unit[] = []
  const loop: ClaimLoop = {
    name: `test.${Math.random()}`,
    concurrency: 2,
    async begin(limit, signal) {
      claims.push(limit)
      return due.splice(0, limit).map(() => {
        const { promise, resolve, reject } = Promise.withResolvers<'more' | undefined>()
        units.push({ end: resolve, fail: reject, signal })
        return promise
      })
    },
    ...more,
  }
  return { loop, due, claims, units }
}

async function start(...loops: ClaimLoop[]): Promise<{ stop(): Promise<void>; metrics: Metrics; logs: string[] }> {
  const metrics = createMetrics()
  const logs: string[] = []
  const log = createLogger({ level: 'debug', destination: { write: (line) => logs.push(line) } })
  const running = await startClaimLoops(loops, { log, metrics, pubsub })
  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= running.stop())
  onTestFinished(stop)
  return { stop, metrics, logs }
}

test('claims as many units as it has slots, and again when one ends', async () => {
  const { loop, due, claims, units } = declare()
  due.push('a', 'b', 'c')
  await start(loop)
  await expect.poll(() => units.length).toBe(2)
  expect(claims).toEqual([2])
  units[0]?.end()
  await expect.poll(() => units.length).toBe(3)
  expect(claims).toEqual([2, 1])
  for (const unit of units) unit.end()
})

test('waits until enough slots are free for a batch', async () => {
  const { loop, due, claims, units } = declare({ concurrency: 4, batchMin: 2 })
  due.push(...'abcdef')
  await start(loop)
  await expect.poll(() => units.length).toBe(4)
  units[0]?.end()
  units[1]?.end()
  await expect.poll(() => units.length).toBe(6)
  expect(claims).toEqual([4, 2])
  for (const unit of units) unit.end()
})

test('claims with the slots that are left when the others do not become free', async () => {
  const { loop, due, claims, units } = declare({ concurrency: 4, batchMin: 4 })
  due.push(...'abcde')
  await start(loop)
  await expect.poll(() => units.length).toBe(4)
  units[0]?.end()
  await expect.poll(() => units.length, { timeout: 5_000 }).toBe(5)
  expect(claims).toEqual([4, 1])
  for (const unit of units) unit.end()
})

test('wakes when a transaction says that work is due, and only the loop that it names', async () => {
  const [one, other] = [declare(), declare()]
  await start(one.loop, other.loop)
  await expect.poll(() => one.claims.length + other.claims.length).toBeGreaterThanOrEqual(2)
  const before = other.claims.length
  one.due.push('a')
  await publishDue({ sql: testDatabase.database.system }, one.loop.name)
  await expect.poll(() => one.units.length).toBe(1)
  expect(other.claims.length - before).toBeLessThanOrEqual(1)
  one.units[0]?.end()
})

test('claims again at once when the end of a unit has made more due', async () => {
  const { loop, due, claims, units } = declare()
  due.push('a')
  await start(loop)
  await expect.poll(() => units.length).toBe(1)
  due.push('b')
  units[0]?.end('more')
  await expect.poll(() => units.length).toBe(2)
  expect(claims.length).toBeGreaterThanOrEqual(2)
  units[1]?.end()
})

test('finds by its poll what nobody told of, also after an error', async () => {
  let claims = 0
  const { loop } = declare({
    async begin() {
      if (++claims === 1) throw new Error('the database is unreachable')
      return []
    },
  })
  const { logs } = await start(loop)
  await expect.poll(() => claims, { timeout: 5_000 }).toBeGreaterThanOrEqual(2)
  expect(logs.join()).toContain('failed to claim due work')
})

test('counts how units ended, and logs an error of one', async () => {
  const { loop, due, units } = declare()
  due.push('a', 'b')
  const { metrics, logs } = await start(loop)
  await expect.poll(() => units.length).toBe(2)
  units[0]?.end()
  units[1]?.fail(new Error('broken'))
  await expect
    .poll(async () => metrics.registry.metrics())
    .toContain(`mortise_jobs_total{job="${loop.name}",outcome="failed"} 1`)
  expect(await metrics.registry.metrics()).toContain(`mortise_jobs_total{job="${loop.name}",outcome="completed"} 1`)
  expect(await metrics.registry.metrics()).toContain(`mortise_jobs_running{job="${loop.name}"} 0`)
  expect(logs.join()).toContain('broken')
})

test('stops: aborts units, waits for them and for what they left, and claims nothing more', async () => {
  const order: string[] = []
  const { loop, due, claims, units } = declare({ stop: async () => void order.push('rest') })
  due.push('a', 'b', 'c')
  const { stop } = await start(loop)
  await expect.poll(() => units.length).toBe(2)
  const stopped = stop().then(() => order.push('stopped'))
  expect(units.every(({ signal }) => signal.aborted)).toBe(true)
  units[0]?.end()
  units[1]?.end()
  await stopped
  expect(order).toEqual(['rest', 'stopped'])
  expect(claims).toEqual([2])
})

test.each([
  ['with notifications, a loop polls every second', true, 1],
  ['without notifications, a loop polls ten times as often', false, 10],
])('%s', async (_, isConnected, claimsInASecond) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const log = createLogger({ level: 'silent' })
  const own = isConnected
    ? pubsub
    : new PubSub({ database: { connect: undefined }, newId, log, metrics: createMetrics() })
  const { loop, claims } = declare()
  const running = await startClaimLoops([loop], { log, metrics: createMetrics(), pubsub: own })
  await vi.advanceTimersByTimeAsync(0)
  claims.length = 0
  await vi.advanceTimersByTimeAsync(1_000)
  expect(claims).toHaveLength(claimsInASecond)
  await running.stop()
})
