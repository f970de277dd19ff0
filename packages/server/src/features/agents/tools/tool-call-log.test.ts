import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { createLogger } from '../../../kernel/telemetry/index.ts'
import { startToolsKit, type ToolsKit } from '../../../testkit/tools-kit.ts'
import type { EndedOperation } from '../../platform/operations/index.ts'
import { createToolCallLog, type ToolCallLog } from './tool-call-log.ts'

let kit: ToolsKit
let owner: pg.Client
let installation: { id: string; integrationId: string; configId: string }
beforeAll(async () => {
  kit = await startToolsKit()
  await kit.group()
  owner = new pg.Client({ connectionString: kit.app.testDatabase.url, options: '-c search_path=mortise' })
  await owner.connect()
  const { rows } = await sql<typeof installation>`
    select id, integration_id as "integrationId", config_id as "configId" from installations
     where project_id = ${kit.app.projectId}`.execute(kit.app.db.sql)
  installation = rows[0]!
})
afterAll(async () => {
  await owner?.end()
  await kit?.stop()
})

function startLog(): ToolCallLog {
  const { database } = kit.app.testDatabase
  return createToolCallLog({ database, newId, log: createLogger({ level: 'silent' }) })
}

function call(): EndedOperation {
  const now = new Date()
  return {
    id: newId(),
    integrationId: installation.integrationId,
    installationId: installation.id,
    configId: installation.configId,
    actionType: 'tool',
    resource: 'contacts',
    status: 'success',
    result: 'done',
    begun: now,
    ended: now,
    line: { severity: 'INFO', msg: 'done', details: {} },
  }
}

/** How many of these calls are stored, and how many lines they have. */
async function stored(calls: EndedOperation[]): Promise<{ operations: number; lines: number }> {
  const ids = calls.map(({ id }) => id)
  const { rows } = await sql<{ operations: number; lines: number }>`
    select (select count(*)::int from operations where project_id = ${kit.app.projectId} and id = any(${ids}::uuid[])) as operations,
           (select count(*)::int from operation_logs where project_id = ${kit.app.projectId} and operation_id = any(${ids}::uuid[])) as lines`.execute(
    kit.app.db.sql,
  )
  return rows[0]!
}

const add = (log: ToolCallLog, calls: EndedOperation[]) => calls.map((one) => log.storeSoon(kit.app.projectId, one))

test('calls that only read are stored within a moment, in few statements', async () => {
  const log = startLog()
  const calls = Array.from({ length: 700 }, call)
  expect(add(log, calls)).toEqual(calls.map(() => undefined))
  await vi.waitFor(async () => expect(await stored(calls)).toEqual({ operations: 700, lines: 700 }), 10_000)
  await log.stop()
})

test('a call that writes is stored before its response, also if it is refused', async () => {
  const group = await kit.group()
  for (const args of [
    { id: 'con_0000002', fields: { score: 7 } },
    { id: 'con_0000002', fields: { nothing: 1 } },
  ]) {
    const { operationId = '' } = await kit.call(group, 'update_people', args)
    expect(await stored([{ ...call(), id: operationId }])).toEqual({ operations: 1, lines: 1 })
  }
})

test('a service that stops stores what waits', async () => {
  const log = startLog()
  const calls = [call(), call(), call()]
  add(log, calls)
  await log.stop()
  expect(await stored(calls)).toEqual({ operations: 3, lines: 3 })
})

test('while storing fails, a call is stored before its response, and what waits is stored later, once', async () => {
  const log = startLog()
  const calls = [call(), call()]
  await owner.query('alter table operation_logs rename to lost_logs')
  try {
    add(log, calls)
    const { refused } = await vi.waitFor(() => {
      const later = log.storeSoon(kit.app.projectId, call())
      if (!later) throw new Error('it still waits')
      return { refused: later }
    }, 10_000)
    await expect(refused).rejects.toThrow('operation_logs')
  } finally {
    await owner.query('alter table lost_logs rename to operation_logs')
  }
  await vi.waitFor(async () => expect(await stored(calls)).toEqual({ operations: 2, lines: 2 }), 10_000)
  await vi.waitFor(() => expect(log.storeSoon(kit.app.projectId, call())).toBeUndefined(), 10_000)
  await log.stop()
})

test('no more than 5,000 calls are only in memory: the next one is stored before its response', async () => {
  const log = startLog()
  const results = add(log, Array.from({ length: 5_000 }, call))
  expect(results.every((result) => result === undefined)).toBe(true)
  const next = call()
  await log.storeSoon(kit.app.projectId, next)
  expect(await stored([next])).toEqual({ operations: 1, lines: 1 })
  await log.stop()
})

test('a call that is stored twice, because nobody knows whether the first time counted, is there once', async () => {
  const log = startLog()
  const one = call()
  await log.store(kit.app.projectId, one)
  await log.store(kit.app.projectId, one)
  expect(await stored([one])).toEqual({ operations: 1, lines: 1 })
  await log.stop()
})
