import { sql } from 'kysely'
import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testkit/test-database.ts'
import { type Database, newId } from '../db/index.ts'
import { PubSub } from '../pubsub/index.ts'
import { createLogger, createMetrics } from '../telemetry/index.ts'
import { insertedJob, type Job, JobQueue, type JobRun, job, jobReference } from './index.ts'
import type { JobDeclaration } from './job.ts'

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.database
})
afterAll(() => testDatabase.drop())

interface Data {
  n: number
}
type Run = JobRun<Data>

let names = 0
/** A job of the test's own, in a queue of its own. */
function declare(
  run: (run: Run) => Promise<void>,
  more: Partial<JobDeclaration<Data, unknown>> = {},
): Job<Data, unknown> {
  return job(jobReference<Data>(`test.${++names}`), {
    policy: 'standard',
    concurrency: 4,
    expireInSeconds: 60,
    retryLimit: 3,
    retryDelaySeconds: 0,
    run,
    ...more,
  })
}

/** A node: a queue that works on the jobs. */
async function node(jobs: Job<Data, unknown>[]) {
  const services = { log: createLogger({ level: 'silent' }), metrics: createMetrics() }
  const pubsub = new PubSub({ database, newId, ...services })
  const queue = new JobQueue({ systemPool: database.systemPool, pubsub, ...services })
  onTestFinished(async () => {
    await queue.stop()
    await pubsub.close()
  })
  await queue.start(jobs as Job<never, unknown>[])
  return { queue, work: () => queue.work(jobs as Job<never, unknown>[], {}) }
}

/** Resolves when it has been told `total` numbers; answers them in order. */
function tally(total: number) {
  const seen: number[] = []
  const all = Promise.withResolvers<number[]>()
  return {
    all: all.promise,
    tell: (n: number) => {
      seen.push(n)
      if (seen.length === total) all.resolve(seen)
    },
  }
}

const states = async (which: Job<Data, unknown>): Promise<string[]> =>
  (
    await sql<{
      state: string
    }>`select state::text from mortise_jobs.job where name = ${which.declaration.name} order by created_on, id`.execute(
      database.system,
    )
  ).rows.map((row) => row.state)

describe('a statement that inserts jobs itself', () => {
  test('enqueues the jobs of its rows, and the announcement reaches the workers of every node', async () => {
    const ran = tally(2)
    const announced = declare(async ({ data }) => ran.tell(data.n))
    const worker = await node([announced])
    await worker.work()
    const other = await node([announced])
    const insert = await other.queue.insertion(announced, '(select jsonb_agg(job)::text from made)')
    const jobs = [1, 2].map((n) => insertedJob(announced, { n }, `key-${n}`))
    const enqueue = (list: object[]) =>
      sql`with made as (select value as job from jsonb_array_elements(${JSON.stringify(list)})) ${insert}`.execute(
        database.forProject('0198c0de-0000-7000-8000-000000000001').sql,
      )
    await enqueue([])
    expect(await states(announced)).toEqual([])
    await enqueue(jobs)
    other.queue.announce(announced)
    expect((await ran.all).toSorted()).toEqual([1, 2])
  })

  test('is found by a poll when the process ended before its announcement', async () => {
    const ran = tally(1)
    const lost = declare(async ({ data }) => ran.tell(data.n))
    const { queue, work } = await node([lost])
    await work()
    const insert = await queue.insertion(lost, '(select job from made)')
    const job = JSON.stringify([insertedJob(lost, { n: 1 }, 'key')])
    await sql`with made as (select ${job}::text as job) ${insert}`.execute(database.system)
    expect(await ran.all).toEqual([1])
  })
})

test('jobs with an interval between fetches are fetched several at a time, and none is left', async () => {
  const ran = tally(60)
  const spaced = declare(async ({ data }) => ran.tell(data.n), { concurrency: 10, fetchEveryMs: 50 })
  const { queue, work } = await node([spaced])
  const fetches = vi.spyOn(PgBoss.prototype, 'fetch')
  onTestFinished(() => fetches.mockRestore())
  await queue.enqueueAll(
    { sql: database.system },
    spaced,
    Array.from({ length: 60 }, (_, n) => ({ data: { n } })),
  )
  await work()
  await ran.all
  const own = fetches.mock.calls.filter(([name]) => name === spaced.declaration.name)
  expect(own.length).toBeLessThanOrEqual(10)
})
