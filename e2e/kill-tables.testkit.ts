import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endLeases } from '../packages/server/src/features/messaging/delivery/testing/end-leases.ts'
import {
  encryptMetadata,
  encryptSecrets,
  insertDestination,
} from '../packages/server/src/features/messaging/destinations/index.ts'
import { newSigningSecret } from '../packages/server/src/features/messaging/kinds/index.ts'
import type { MysqlTarget } from '../packages/server/src/features/messaging/kinds/mysql/conformance.testkit.ts'
import type { PostgresTarget } from '../packages/server/src/features/messaging/kinds/postgres/conformance.testkit.ts'
import { recordMessages } from '../packages/server/src/features/messaging/kinds/tables/record-message.testkit.ts'
import { insertMessages } from '../packages/server/src/features/messaging/messages/index.ts'
import { newId, type ProjectDb } from '../packages/server/src/kernel/db/index.ts'
import { createKeyring } from '../packages/server/src/kernel/encryption/index.ts'
import { createTestDatabase, type TestDatabase } from '../packages/server/src/testkit/test-database.ts'
import { insertProject } from '../packages/server/src/testkit/test-project.ts'

type Target = PostgresTarget | MysqlTarget

/** A type of destination with tables, and a server of it. */
export interface TablesUnderKill {
  type: string
  start(): Promise<Target>
  isThere: boolean
  /**
   * Statements that make triggers count effects: each row of `contacts` and `_mortise_messages` that is inserted or
   * changed adds a row to `effects`, with the id of the record (`kept` for a message) and of the message. PostgreSQL
   * counts a row that is written again as it was, too. A row that is removed adds one with `removed ` before the id.
   */
  log: readonly string[]
}

/** Statements that a process must be killed at, among others. */
const statements = {
  soft: ['create table', 'alter table', 'insert into', 'commit'],
  hard: ['create table', 'alter table', 'delete from', '_mortise_deleted', 'insert into', 'commit'],
}

/** Tests what holds for tables when the process that delivers is killed. */
export function testTablesUnderKill({ type, start, isThere, log }: TablesUnderKill): void {
  let testDatabase: TestDatabase
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
  })
  afterAll(() => testDatabase?.drop())

  it.skipIf(!isThere).each([
    ['soft', 'sent'],
    ['soft', 'answered'],
    ['hard', 'sent'],
    ['hard', 'answered'],
  ] as const)(
    'get each effect of a message once (deletes: %s), whichever statement was %s when the process was killed',
    async (deletes, what) => {
      const target = await start()
      const { db, destinationName, startProcess } = await startDelivery(testDatabase, { type, deletes }, target)
      let process = startProcess()
      const killer = killAtStatements(target, what, () => process)
      const expected: Effect[] = []
      let last: Messages = []
      let late: Messages = []
      let sent = 0
      const deliverNext = async (n: number) => {
        const lateNext = lateMessagesOf(n, { destinationName, deletes })
        const messages = [...messagesOf(n, { destinationName, deletes }), ...late]
        late = lateNext
        await insertMessages(db, messages)
        const how = await process.deliver()
        if (how === 'killed') {
          await endLeases(db)
          process = startProcess()
          expect(await process.deliver()).toBe('done')
        }
        // The tables are there from the first delivery on, which nothing kills.
        if (n > 0)
          expected.push(...(deletes === 'hard' ? removingEffectsOf(n, messages, last) : effectsOf(n, messages)))
        else for (const statement of log) await target.query(statement)
        last = messages
        expect(await target.query('select record, message from effects order by message, record')).toEqual(
          expected.toSorted(byMessage),
        )
        if (deletes === 'hard')
          expect(await target.query('select _mortise_id as id from contacts order by 1')).toEqual(rowsLeft(n))
        const created = await target.query<{ n: unknown }>(`select n from things_${n}`)
        expect(created.map((row) => Number(row.n))).toEqual([n])
        sent += messages.length
        expect(await statesOf(db)).toEqual([{ state: 'delivered', n: sent }])
        return how
      }
      try {
        expect(await deliverNext(0)).toBe('done')
        let n = 1
        for (killer.killAt(n); (await deliverNext(n)) === 'killed'; killer.killAt(n)) expect(++n).toBeLessThan(60)
        const killedAt = killer.parts.slice(0, n - 1).join('\n')
        for (const statement of statements[deletes]) expect(killedAt).toContain(statement)
      } finally {
        await process.stop()
        await target.stop()
      }
    },
    900_000,
  )
}

/** Kills the process that delivers at the n-th part that it sends: before it is passed on, or before its answer is. */
function killAtStatements(target: Target, what: 'sent' | 'answered', victim: () => DeliveryProcess) {
  const parts: string[] = []
  let [sent, at] = [0, 0]
  target.intercept((direction, part) => {
    if (at === 0) return true
    if (direction === 'sent') {
      sent++
      if (sent === at) parts.push(part.toString('latin1'))
    }
    if (sent !== at || direction !== what) return true
    at = 0
    victim().kill()
    return false
  })
  return {
    /** The parts that a process was killed at, in their order, and the last, which there was none for. */
    parts,
    killAt(n: number) {
      sent = 0
      at = n
    },
  }
}

interface Effect {
  record: string
  message: string
}

type Messages = Parameters<typeof insertMessages>[1]

interface Sent {
  destinationName: string
  deletes: 'soft' | 'hard'
}

/**
 * Rows of a table with a new column, a deletion, a new table, and a message that is kept: sent together. Where rows are
 * removed, the row of the last time is.
 */
function messagesOf(n: number, { destinationName, deletes }: Sent): Messages {
  const message = recordMessages()
  const removed = deletes === 'hard' ? [`only-${n - 1}`] : []
  const bodies = [
    message([
      { id: 'counted', fields: { n, [`f${n}`]: 1 } },
      { id: `only-${n}`, fields: { n } },
    ]),
    message(['gone', ...removed].map((id) => ({ id, fields: {}, deleted: true }))),
    message([{ id: '1', fields: { n } }], { objectName: `things ${n}` }),
    message([{ subscribeEventType: 'other', rawEvent: {} }], { action: 'subscribe' }),
  ]
  return bodies.map(({ body }) => ({ id: newId(), destinationName, kind: 'read' as const, payload: body }))
}

function effectsOf(n: number, [rows, deletion, , event]: Messages): Effect[] {
  return [
    { record: 'counted', message: rows?.id ?? '' },
    { record: `only-${n}`, message: rows?.id ?? '' },
    { record: 'gone', message: deletion?.id ?? '' },
    { record: 'kept', message: event?.id ?? '' },
  ]
}

/** Where rows are removed: what an older message says of the record that is removed now. It is sent the next time. */
function lateMessagesOf(n: number, { destinationName, deletes }: Sent): Messages {
  if (deletes === 'soft') return []
  const { body } = recordMessages()([{ id: `only-${n - 1}`, fields: { n: -1 } }])
  return [{ id: newId(), destinationName, kind: 'read', payload: body }]
}

/** Neither the record that never had a row nor the message that is late has an effect. */
function removingEffectsOf(n: number, messages: Messages, [lastRows]: Messages): Effect[] {
  const stored = effectsOf(n, messages).filter(({ record }) => record !== 'gone')
  const removed = { record: `removed only-${n - 1}`, message: lastRows?.id ?? '' }
  return [...stored, removed]
}

const rowsLeft = (n: number) => [{ id: 'counted' }, { id: `only-${n}` }]
const byMessage = (one: Effect, other: Effect) =>
  `${one.message} ${one.record}` < `${other.message} ${other.record}` ? -1 : 1

async function statesOf(db: ProjectDb): Promise<{ state: string; n: number }[]> {
  const { rows } = await sql<{ state: string; n: number }>`
    select state, count(*)::int as n from messages where project_id = ${db.projectId} group by state`.execute(db.sql)
  return rows
}

interface DeliveryProcess {
  /** Delivers until nothing is due. */
  deliver(): Promise<'done' | 'killed'>
  kill(): void
  stop(): Promise<void>
}

/** A project with a destination at a target, and processes that deliver to it. */
async function startDelivery(
  testDatabase: TestDatabase,
  { type, deletes }: { type: string; deletes: Sent['deletes'] },
  target: Target,
) {
  const key = randomBytes(32)
  const keyring = createKeyring({ active: key })
  const { database, url } = testDatabase
  const project = await insertProject({ database, keyring, name: `kills-${newId()}` })
  const db = database.forProject(project.id)
  const id = newId()
  const owner = { project_id: project.id, id }
  const destinationName = 'tables'
  const { caCertificate: _, ...settings } = target.settings as { caCertificate: string }
  await insertDestination(db, {
    ...{ id, name: destinationName, type, members: null },
    encryptedMetadata: encryptMetadata(keyring, owner, { ...settings, deletes }),
    encryptedSecrets: encryptSecrets(keyring, owner, { webhookSigningKey: newSigningSecret() }),
  })
  const argument = JSON.stringify({ url, key: key.toString('hex'), projectId: project.id, destinationIds: [id] })
  return { db, destinationName, startProcess: () => startProcess(argument) }
}

function startProcess(argument: string): DeliveryProcess {
  const script = new URL(
    '../packages/server/src/features/messaging/delivery/testing/delivery-process.ts',
    import.meta.url,
  ).pathname
  const child: ChildProcess = spawn(process.execPath, ['--conditions=mortise-source', script, argument], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  return {
    async deliver() {
      const done = once(child, 'message')
      child.send('deliver')
      const [how] = await Promise.race([done, exited])
      if (how === 'done') return 'done'
      expect([child.exitCode, child.signalCode]).toEqual([null, 'SIGKILL'])
      return 'killed'
    },
    kill: () => child.kill('SIGKILL'),
    async stop() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
