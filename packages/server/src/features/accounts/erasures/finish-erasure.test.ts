import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { openTestPool } from '../../../testkit/test-database.ts'
import { postMessages } from '../../messaging/messages/index.ts'
import { erasuresTicks } from './enqueue-due-erasures.ts'
import { finishErasureHandler } from './jobs/finish-erasure.ts'

let app: TestApp
beforeAll(async () => {
  // No worker: what is erased was erased by the test.
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(async () => {
  await app?.stop()
})

const count = async (from: ReturnType<typeof sql>) => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${from}`.execute(app.db.sql)
  return rows[0]?.count
}
const connect = (groupRef: string) =>
  app.call('POST', '/projects/default/connections:generate', {
    groupRef,
    consumerRef: 'c',
    provider: 'ashby',
    basicAuth: { username: 'u', password: 'p' },
  })
const post = (groupRef: string, messages: number) =>
  app.db.transaction((tx) =>
    postMessages(
      tx,
      app.app.services,
      Array.from({ length: messages }, () => ({
        destinationName: 'nobody-made-this-one',
        kind: 'read' as const,
        payload: Buffer.from(JSON.stringify({ action: 'read', groupRef, result: [] })),
      })),
    ),
  )

test('an erasure that is killed goes on where it was, and one that was given up is begun anew', async () => {
  await connect('gone')
  await post('gone', 450)
  await post('gone-too', 30)
  expect((await app.call('DELETE', '/projects/default/groups/gone')).status).toBe(204)
  await post('gone', 1)

  const { rows } = await sql<{ id: string }>`select id from erasures`.execute(app.db.sql)
  const data = { projectId: app.projectId, erasureId: rows[0]?.id ?? '' }
  const { signal } = new AbortController()
  const run = () => finishErasureHandler.declaration.run({ data, signal } as never, app.app.services)
  const pool = openTestPool(app.testDatabase.url, { options: '-c search_path=mortise' })
  // It ends when it notes that it has looked at its second batch of messages, which is erased by then.
  await pool.query(`create function kill() returns trigger language plpgsql as $$ begin raise 'killed'; end $$`)
  await pool.query(`create trigger kill before update of cursor on erasures
    for each row when (old.cursor is not null) execute function kill()`)
  await expect(run()).rejects.toThrow('killed')
  await pool.query('drop trigger kill on erasures')
  await pool.end()
  expect(await count(sql`messages`)).toBe(450 + 30 + 1 - 400)
  expect(await count(sql`erasures where cursor is not null`)).toBe(1)

  const ours = sql`mortise_jobs.job where name = 'groups.finish-erasure'`
  await sql`delete from ${ours}`.execute(app.testDatabase.database.system)
  const [tick] = erasuresTicks(app.app.services)
  await tick?.run(signal)
  expect(await count(ours)).toBe(0)
  app.clock.advance(60_000)
  await tick?.run(signal)
  await tick?.run(signal)
  expect(await count(ours)).toBe(1)

  await run()
  // A group of that ref that came to be afterwards has nothing to do with the one that was deleted.
  expect(await count(sql`messages where position('"gone"'::bytea in payload) > 0`)).toBe(1)
  expect(await count(sql`messages where position('"gone-too"'::bytea in payload) > 0`)).toBe(30)
  expect(await count(sql`erasures`)).toBe(0)
  await run()
})
