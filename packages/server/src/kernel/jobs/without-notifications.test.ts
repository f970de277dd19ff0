import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../testkit/test-database.ts'
import { newId } from '../db/index.ts'
import { PubSub } from '../pubsub/index.ts'
import { createLogger, createMetrics } from '../telemetry/index.ts'
import { JobQueue, job, jobReference } from './index.ts'

test('without notifications, a node begins its own jobs without waiting for a poll', async () => {
  const testDatabase = await createTestDatabase()
  onTestFinished(() => testDatabase.drop())
  const { database } = testDatabase
  const { systemPool } = database
  let polls = 0
  const counting = Object.create(systemPool, {
    query: {
      value: (text: string, ...rest: unknown[]) => {
        if (text.includes('unnest($1::text[]) queue')) polls++
        return (systemPool.query as (...args: unknown[]) => unknown)(text, ...rest)
      },
    },
  })
  const services = { log: createLogger({ level: 'silent' }), metrics: createMetrics() }
  const pubsub = new PubSub({ database: { connect: undefined }, newId, ...services })
  const queue = new JobQueue({ systemPool: counting, pubsub, ...services })
  onTestFinished(async () => {
    await queue.stop()
    await pubsub.close()
  })

  let ran = Promise.withResolvers<void>()
  const reference = jobReference<Record<string, never>>('test.without-notifications')
  const declared = job(reference, {
    policy: 'standard',
    concurrency: 1,
    expireInSeconds: 60,
    retryLimit: 3,
    retryDelaySeconds: 0,
    run: async () => ran.resolve(),
  })
  await queue.start([declared])
  await queue.work([declared], {})
  const completed = async () =>
    (
      await sql`select from mortise_jobs.job where name = ${declared.declaration.name} and state = 'completed'`.execute(
        database.system,
      )
    ).rows.length
  const jobs = 20
  for (let n = 0; n < jobs; n++) {
    ran = Promise.withResolvers()
    // The end of a job wakes the loop, which must find nothing yet.
    await expect.poll(completed).toBe(n)
    await database.forProject(newId()).transaction((tx) => queue.enqueue(tx, declared, {}))
    await ran.promise
  }
  // With polls alone, each job would wait for one.
  expect(polls).toBeLessThan(jobs / 2)
})
