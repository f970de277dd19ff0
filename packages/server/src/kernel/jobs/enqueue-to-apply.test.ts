import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testkit/test-database.ts'
import { newId } from '../db/index.ts'
import { createLogger, createMetrics } from '../telemetry/index.ts'
import { JobQueue, job, jobReference } from './index.ts'

let testDatabase: TestDatabase
beforeAll(async () => {
  testDatabase = await createTestDatabase()
})
afterAll(() => testDatabase.drop())

interface Data {
  n: number
}
const reference = jobReference<Data>('test.apply')
let ran: number[]
let begun: PromiseWithResolvers<void>
let release: PromiseWithResolvers<void>
beforeEach(() => {
  ran = []
  begun = Promise.withResolvers()
  release = Promise.withResolvers()
})
const apply = job(reference, {
  policy: 'one-per-key',
  concurrency: 4,
  expireInSeconds: 60,
  retryLimit: 0,
  retryDelaySeconds: 0,
  run: async ({ data: { n } }) => {
    begun.resolve()
    await release.promise
    ran.push(n)
  },
})

/** A queue in which the first job of the key `a` waits. */
async function waitingQueue() {
  const services = { log: createLogger({ level: 'silent' }), metrics: createMetrics() }
  const queue = new JobQueue({ systemPool: testDatabase.database.systemPool, ...services })
  onTestFinished(async () => {
    release.resolve()
    await queue.stop()
  })
  await queue.start([apply])
  const db = testDatabase.database.forProject(newId())
  await queue.enqueue(db, reference, { n: 1 }, 'a')
  return { queue, db, work: () => queue.work([apply], {}) }
}

const states = async () =>
  (
    await sql<{ of: string }>`
      select concat(singleton_key, ' ', state) as of from mortise_jobs.job where name = 'test.apply' and state < 'completed'
      order by 1`.execute(testDatabase.database.system)
  ).rows.map((row) => row.of)

test('a waiting job starts after the transaction whose own job it made superfluous', async () => {
  const { queue, db, work } = await waitingQueue()
  await db.transaction(async (tx) => {
    await queue.enqueueToApply(tx, reference, [{ data: { n: 2 }, key: 'a' }])
    await work()
    await queue.enqueue(db, reference, { n: 3 }, 'b')
    await vi.waitFor(async () => expect(await states()).toEqual(['a created', 'b active']), 20_000)
    release.resolve()
    await vi.waitFor(async () => expect(await states()).toEqual(['a created']), 20_000)
  })
  await vi.waitFor(() => expect(ran).toEqual([3, 1]), 20_000)
})

test('a change is enqueued if the job that waited has started', async () => {
  const { queue, db, work } = await waitingQueue()
  const enqueueAll = queue.enqueueAll.bind(queue)
  // The waiting job starts right after it made this one superfluous.
  vi.spyOn(queue, 'enqueueAll').mockImplementationOnce(async (...args) => {
    await enqueueAll(...args)
    await work()
    await begun.promise
  })
  await db.transaction((tx) => queue.enqueueToApply(tx, reference, [{ data: { n: 2 }, key: 'a' }]))
  expect(await states()).toEqual(['a active', 'a created'])
  release.resolve()
  await vi.waitFor(() => expect(ran).toEqual([1, 2]), 20_000)
})
