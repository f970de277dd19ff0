import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../testkit/test-database.ts'
import { newId } from '../db/index.ts'
import { PubSub } from '../pubsub/index.ts'
import { createLogger, createMetrics } from '../telemetry/index.ts'
import { JobQueue, job, jobReference } from './index.ts'

const reference = jobReference<{ n: number }>('test.enqueue-in-transaction')
const handler = job(reference, {
  policy: 'standard',
  concurrency: 1,
  expireInSeconds: 60,
  retryLimit: 0,
  retryDelaySeconds: 0,
  run: async () => undefined,
})

test('the first job of a new queue needs no connection besides that of its transaction', async () => {
  const testDatabase = await createTestDatabase()
  const { system, systemPool } = testDatabase.database
  const services = { log: createLogger({ level: 'silent' }), metrics: createMetrics() }
  const pubsub = new PubSub({ database: testDatabase.database, newId, ...services })
  const queue = new JobQueue({ systemPool, pubsub, ...services })
  await queue.start([handler])
  await system.transaction().execute(async (tx) => {
    await sql`select 1`.execute(tx)
    const others = await Promise.all(Array.from({ length: systemPool.options.max - 1 }, () => systemPool.connect()))
    await queue.enqueue({ sql: tx }, reference, { n: 1 }).finally(() => {
      for (const other of others) other.release()
    })
  })
  const { rows } = await sql`select data from mortise_jobs.job where name = ${reference.declaration.name}`.execute(
    system,
  )
  expect(rows).toEqual([{ data: { n: 1 } }])
  await queue.stop()
  await pubsub.close()
  await testDatabase.drop()
})
