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

it('keeps a day that has a dead letter, until its retention ends', async () => {
  const { database } = test
  const keyring = createKeyring({ active: randomBytes(32) })
  const { id: projectId } = await insertProject({ database, keyring, name: 'dead' })
  await sql`select ensure_partitions('2020-01-01', '2020-01-01')`.execute(database.system)
  await sql`insert into messages (project_id, id, destination_name, kind, payload, payload_bytes, state, end_time)
            values (${projectId}, ${v7({ msecs: Date.parse('2020-01-01T12:00:00Z') })}, 'hook', 'read', 'x', 1, 'failed',
                    now() - interval '40 days')`.execute(database.system)
  const keeping = async (deadLetterDays: number) => {
    const config = { retentionDays: 30, deadLetterDays }
    const log = { info: () => undefined }
    const ticks = retentionTicks({ database, config, log } as never)
    await ticks.find(({ name }) => name === 'upkeep.partitions')?.run(new AbortController().signal)
    const { rows } = await sql<{ kept: string | null }>`
      select to_regclass('messages_20200101')::text as kept`.execute(database.system)
    return rows[0]?.kept
  }
  expect(await keeping(50)).toBe('messages_20200101')
  expect(await keeping(35)).toBe(null)
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
