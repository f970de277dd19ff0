import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { v7 } from 'uuid'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { createKeyring } from '../../../kernel/encryption/index.ts'
import { createTestDatabase, type TestDatabase } from '../../../testkit/test-database.ts'
import { insertProject } from '../../../testkit/test-project.ts'
import { retentionTicks } from './index.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await createTestDatabase()
})
afterAll(() => test?.drop())

it('moves rows that had no partition when they were written into one, as soon as their day is made', async () => {
  const { database } = test
  const { id: projectId } = await insertProject({
    database,
    keyring: createKeyring({ active: randomBytes(32) }),
    name: 'late',
  })
  const inTwentyDays = Date.now() + 20 * 86_400_000
  const id = v7({ msecs: inTwentyDays })
  await sql`insert into messages (project_id, id, destination_name, kind, payload, payload_bytes)
            values (${projectId}, ${id}, 'hook', 'read', 'x', 1)`.execute(database.system)
  await sql`insert into attempts (project_id, message_id, number, destination_id, duration_ms)
            values (${projectId}, ${id}, 1, ${newId()}, 1)`.execute(database.system)
  const placeOf = async (table: 'messages' | 'attempts') => {
    const { rows } = await sql<{ place: string }>`
      select tableoid::regclass::text as place from ${sql.table(table)} where project_id = ${projectId}`.execute(
      database.system,
    )
    return rows.map(({ place }) => place)
  }
  expect([await placeOf('messages'), await placeOf('attempts')]).toEqual([['messages_rest'], ['attempts_rest']])
  await sql`select ensure_partitions(current_date - 1, current_date + 25)`.execute(database.system)
  const day = new Date(inTwentyDays).toISOString().slice(0, 10).replaceAll('-', '')
  expect([await placeOf('messages'), await placeOf('attempts')]).toEqual([[`messages_${day}`], [`attempts_${day}`]])
})

it('gives the planner statistics of a table as soon as it has grown', async () => {
  const { database } = test
  const analyzed = async () => {
    const { rows } = await sql<{ known: number }>`
      select reltuples::int as known from pg_class where oid = 'groups'::regclass`.execute(database.system)
    return rows[0]?.known
  }
  const { id: projectId } = await insertProject({
    database,
    keyring: createKeyring({ active: randomBytes(32) }),
    name: 'grown',
  })
  const tick = retentionTicks({ database } as never).find(({ name }) => name === 'upkeep.statistics')
  const run = () => tick?.run(new AbortController().signal)
  await run()
  expect(await analyzed()).toBe(-1)
  await sql`insert into groups (project_id, group_ref, group_name)
            select ${projectId}, number, repeat('x', 50) from generate_series(1, 2000) as number`.execute(
    database.system,
  )
  await run()
  expect(await analyzed()).toBe(2_000)
})
