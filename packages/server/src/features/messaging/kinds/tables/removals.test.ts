import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openForTest } from '../conformance.testkit.ts'
import type { OutgoingMessage } from '../kind.ts'
import { type DatabaseTarget, databasesToTest } from './databases.testkit.ts'
import { recordMessages } from './record-message.testkit.ts'

/** What holds for deletions that remove rows. */

const databases = await databasesToTest()

describe.each(databases.map((one) => [one.kind.name, one] as const))(
  '%s with deletes: hard',
  (name, { kind, ...one }) => {
    describe.skipIf(!one.isThere)('with a server', () => {
      let target: DatabaseTarget
      let opened: ReturnType<typeof openForTest>[]
      const message = recordMessages()
      beforeEach(async () => {
        target = await one.start()
        opened = []
      })
      afterEach(async () => {
        for (const { close } of opened) await close()
        await target.stop()
      })

      function open(deletes: string, options: Parameters<typeof openForTest>[2] = {}) {
        const sender = openForTest(kind, { ...target.settings, deletes }, options)
        opened.push(sender)
        return async (...batch: OutgoingMessage[]) => (await sender.send(batch)).map(({ outcome }) => outcome)
      }
      const rows = async () => {
        const shown = '_mortise_id as id, email, _mortise_deleted_at is not null as gone'
        const found = await target.query<{ id: string; email: string; gone: unknown }>(
          `select ${shown} from contacts order by 1`,
        )
        return found.map(({ id, email, gone }) => [id, email, Boolean(gone)])
      }
      const updated = (id: string, email: string) => message([{ id, fields: { email }, raw: { email } }])
      const deleted = (...ids: string[]) => message(ids.map((id) => ({ id, fields: {}, deleted: true })))

      it('removes the row of a deleted record, and leaves the others', async () => {
        const send = open('hard')
        await send(updated('1', 'a'), updated('2', 'b'), updated('3', 'c'))
        expect(await send(deleted('1'))).toEqual(['delivered'])
        const event = { id: '2', subscribeEventType: 'delete', fields: {}, rawEvent: {} }
        expect(await send(message([event], { action: 'subscribe' }))).toEqual(['delivered'])
        expect(await rows()).toEqual([['3', 'c', false]])
      })

      it('makes no row of a record that never had one', async () => {
        const send = open('hard')
        const event = message([{ id: '1', subscribeEventType: 'update', rawEvent: {} }], { action: 'subscribe' })
        expect(await send(event, deleted('1'), updated('2', 'b'))).toEqual(['delivered', 'delivered', 'delivered'])
        expect(await rows()).toEqual([['2', 'b', false]])
        expect(await send(deleted('9'))).toEqual(['delivered'])
        expect(await rows()).toHaveLength(1)
      })

      it('brings no row back with a message that is older than the deletion', async () => {
        const send = open('hard')
        const [first, late, mark] = [updated('1', 'a'), updated('1', 'b'), message([{ id: '1', fields: {} }])]
        const never = updated('9', 'a')
        const removal = deleted('1', '9')
        await send(first)
        await send(removal)
        // In another run, and in a batch with others, too.
        for (const again of [send, open('hard')])
          for (const one of [late, first, mark, never]) expect(await again(one)).toEqual(['delivered'])
        await open('hard')(late, updated('2', 'x'), never)
        expect(await rows()).toEqual([['2', 'x', false]])
      })

      it('brings a row back with a newer message, and then the deletion has no effect any more', async () => {
        const send = open('hard')
        const removal = deleted('1')
        await send(updated('1', 'a'))
        await send(removal)
        await send(updated('1', 'back'))
        await send(removal)
        await open('hard')(removal)
        expect(await rows()).toEqual([['1', 'back', false]])
        await send(deleted('1'))
        expect(await rows()).toEqual([])
      })

      it('ends the same whatever is sent together, again, or in another order', async () => {
        const ids = ['1', '2', '3', '4']
        const kinds = ['values', 'values', 'deletion']
        const last = new Map<string, string>()
        const sequence = Array.from({ length: 40 }, (_, at) => {
          const [id = '', what = ''] = [ids[(at * 7 + (at >> 2)) % 4], kinds[(at * 5 + (at >> 3)) % 3]]
          if (what === 'values') last.set(id, `v${at}`)
          else last.delete(id)
          return what === 'values' ? updated(id, `v${at}`) : deleted(id)
        })
        const expected = [...last].sort().map(([id, email]) => [id, email, false])
        expect(expected.length).toBeGreaterThan(0)
        expect(expected.length).toBeLessThan(ids.length)
        const orders = {
          'one by one': sequence.map((one) => [one]),
          together: [sequence],
          'in reverse': sequence.toReversed().map((one) => [one]),
          'in parts, some twice': [
            sequence.filter((_, at) => at % 3 === 0),
            sequence.toReversed().filter((_, at) => at % 2 === 0),
            sequence,
            sequence.slice(0, 20),
          ],
        }
        for (const [how, batches] of Object.entries(orders)) {
          const send = open('hard')
          for (const batch of batches) await send(...batch)
          expect([how, await rows()]).toEqual([how, expected])
          await target.query('drop table contacts')
          await target.query('drop table _mortise_deleted')
        }
      })

      it('keeps no value of before the deletion, when an event without values follows it in the batch', async () => {
        const send = open('hard')
        const event = () => message([{ id: '1', subscribeEventType: 'update', rawEvent: {} }], { action: 'subscribe' })
        await send(updated('2', 'b'))
        await send(updated('1', 'a'), deleted('1'), event())
        expect(await rows()).toEqual([
          ['1', null, false],
          ['2', 'b', false],
        ])
        const raw = "select _mortise_raw as raw from contacts where _mortise_id = '1'"
        expect(await target.query(raw)).toEqual([{ raw: null }])
      })

      it('leaves no value and no id of the record in the database', async () => {
        const send = open('hard')
        const secret = 'ada@acme.test'
        const record = {
          id: secret,
          fields: { email: secret },
          mappedFields: { mail: secret },
          raw: { deep: [secret] },
        }
        const side = { id: '7', objectName: 'deals', fields: { email: secret }, raw: { secret } }
        const events = [
          { ...record, subscribeEventType: 'update', rawEvent: { secret } },
          { subscribeEventType: 'associationUpdate', fromRecord: side, toRecord: side, rawEvent: { secret } },
          { subscribeEventType: 'other', providerEventType: 'contact.merged', rawEvent: { secret } },
          { subscribeEventType: 'create', fields: { email: secret }, rawEvent: { secret } },
        ]
        expect(await send(message([record]), message(events, { action: 'subscribe' }))).toEqual([
          'delivered',
          'delivered',
        ])
        expect(await everything(target)).toContain(secret)
        expect(await send(deleted(secret))).toEqual(['delivered'])
        const left = await everything(target)
        expect(left).not.toContain(secret)
        // What happened is still there, with the ids of other records.
        expect(left).toContain('contact.merged')
        const [kept] = await target.received()
        expect(JSON.parse(kept?.body ?? '').result).toEqual([
          {
            subscribeEventType: 'associationUpdate',
            fromRecord: { id: '7', objectName: 'deals' },
            toRecord: { id: '7', objectName: 'deals' },
          },
          { subscribeEventType: 'other', providerEventType: 'contact.merged' },
          { subscribeEventType: 'create' },
        ])
      })

      it('can be set and taken back: rows that were removed stay removed, and marks stay marks', async () => {
        const [soft, hard] = [open('soft'), open('hard')]
        const [one, two] = [updated('1', 'a'), updated('2', 'b')]
        const late = updated('2', 'late')
        const [mark, removal] = [deleted('1'), deleted('2')]
        await soft(one, two)
        await soft(mark)
        expect(await rows()).toEqual([
          ['1', 'a', true],
          ['2', 'b', false],
        ])
        await hard(removal)
        await hard(mark)
        expect(await rows()).toEqual([['1', 'a', true]])
        // Another run of the destination, whose setting is soft again.
        const again = open('soft')
        for (const old of [late, two, removal]) await again(old)
        expect(await rows()).toEqual([['1', 'a', true]])
        await again(updated('2', 'back'))
        await again(deleted('2'))
        expect(await rows()).toEqual([
          ['1', 'a', true],
          ['2', 'back', true],
        ])
        // A row that was marked goes with the next deletion of its record.
        await open('hard')(deleted('1'))
        expect(await rows()).toEqual([['2', 'back', true]])
      })

      it('forgets a deletion when no message of its day or before is kept', async () => {
        const remembered = () => target.query("select record from _mortise_deleted where record <> ''")
        // All messages of these tests are of June 27, 2025.
        await open('hard', { messagesKeptFrom: async () => new Date('2025-06-27T00:00:00Z') })(deleted('1', '2'))
        await open('hard', { messagesKeptFrom: async () => new Date('2025-06-27T00:00:00Z') })(updated('3', 'c'))
        expect(await remembered()).toHaveLength(2)
        await open('soft', { messagesKeptFrom: async () => new Date('2025-06-28T00:00:00Z') })(updated('3', 'd'))
        expect(await remembered()).toEqual([])
        expect(await open('hard')(deleted('3'))).toEqual(['delivered'])
        expect(await rows()).toEqual([])
      })

      it('creates the table of deletions again when it was dropped', async () => {
        const send = open('hard')
        await send(updated('1', 'a'), updated('2', 'b'))
        await send(deleted('1'))
        await target.query('drop table _mortise_deleted')
        expect(await send(deleted('2'))).toEqual(['delivered'])
        expect(await rows()).toEqual([])
      })

      it('tries a record again apart from the others while a row of yours refers to it', async () => {
        const send = open('hard')
        await send(updated('1', 'a'), updated('2', 'b'), updated('3', 'c'))
        const key = ['group', 'provider', 'workspace', 'id'].map((part) => `_mortise_${part}`).join(', ')
        await target.query(`create table notes as select ${key} from contacts where _mortise_id = '2'`)
        await target.query(`alter table notes add foreign key (${key}) references contacts (${key})`)
        const sender = opened[0]
        const [result] = (await sender?.send([deleted('1', '2', '3')])) ?? []
        expect(result).toMatchObject({ outcome: 'delivered', rejected: [{ entries: [1], outcome: 'retry' }] })
        expect(result?.rejected?.[0]?.error).toContain('refers to')
        expect(await rows()).toEqual([['2', 'b', false]])
        await target.query('drop table notes')
      })

      it('removes many rows at once', async () => {
        const send = open('hard')
        const ids = Array.from({ length: 1_300 }, (_, at) => `${at}`)
        await send(message(ids.map((id) => ({ id, fields: { email: id } }))))
        const late = message(ids.map((id) => ({ id, fields: { email: 'late' } })))
        await send(deleted(...ids.slice(1)))
        await send(late)
        expect(await rows()).toEqual([['0', 'late', false]])
      })

      describe.each([
        ['before the older message is stored', 'update', 'accounts'],
        ['after the older message is stored', 'update', 'deals'],
        ['before the row is removed', 'deletion', 'accounts'],
        ['after the row is removed', 'deletion', 'deals'],
      ])('two batches at the same time, when the first waits %s', (_, first, table) => {
        // The default of MySQL locks more than it must, and that of PostgreSQL sees what others have committed.
        it.each(['read committed', 'repeatable read'])('end with the deletion (default: %s)', async (level) => {
          await target.query(isolation[name]?.(level) ?? '')
          // Both know the tables already: otherwise, one would wait for the other to prepare them.
          const [sendFirst, sendSecond] = [open('hard'), open('hard')]
          const gated = (id: string) => message([{ id, fields: { n: 1 } }], { objectName: table })
          for (const send of [sendFirst, sendSecond]) await send(updated('other', 'x'), gated('1'))
          await target.query(isolation[name]?.(defaultLevel[name] ?? '') ?? '')
          // A row of the table waits for the test, within the transaction that it is stored in.
          for (const statement of gate[name]?.(table) ?? []) await target.query(statement)
          const [older, removal] = [updated('1', 'a'), deleted('1')]
          await target.query(lock[name] ?? '')
          const [before, after] = first === 'update' ? [older, removal] : [removal, older]
          const one = sendFirst(before, gated('2'))
          one.catch(() => undefined)
          // MySQL says the same of its transactions when it is asked again within a tenth of a second.
          const polled = { timeout: 8_000, interval: 250 }
          await expect.poll(() => waiting(target, name), polled).toBe(1)
          const other = sendSecond(after)
          other.catch(() => undefined)
          await expect.poll(() => waiting(target, name), polled).toBe(2)
          await target.query(unlock[name] ?? '')
          expect([...(await one), ...(await other)]).toEqual(['delivered', 'delivered', 'delivered'])
          expect(await rows()).toEqual([['other', 'x', false]])
        })
      })
    })
  },
)

const defaultLevel: Record<string, string> = { postgres: 'read committed', mysql: 'repeatable read' }
const isolation: Record<string, (level: string) => string> = {
  postgres: (level) => `do $$ begin
    execute format('alter database %I set default_transaction_isolation = %L', current_database(), '${level}'); end $$`,
  mysql: (level) => `set global transaction isolation level ${level}`,
}
const gate: Record<string, (table: string) => string[]> = {
  postgres: (table) => [
    `create function wait() returns trigger language plpgsql as $$
       begin perform pg_advisory_xact_lock(7); return null; end $$`,
    `create trigger wait after insert on ${table} for each row execute function wait()`,
  ],
  mysql: (table) => [
    `create trigger wait after insert on ${table} for each row
       do get_lock(concat('gate ', database()), 60) + release_lock(concat('gate ', database()))`,
  ],
}
const lock: Record<string, string> = {
  postgres: 'select pg_advisory_lock(7)',
  mysql: "select get_lock(concat('gate ', database()), 10)",
}
const unlock: Record<string, string> = {
  postgres: 'select pg_advisory_unlock(7)',
  mysql: "select release_lock(concat('gate ', database()))",
}

/** Number of connections of Mortise that wait for a lock of any kind. */
async function waiting(target: DatabaseTarget, name: string): Promise<number> {
  const statement =
    name === 'postgres'
      ? `select count(*)::int as n from pg_stat_activity
          where datname = current_database() and application_name = 'mortise' and wait_event_type = 'Lock'`
      : `select count(*) as n from information_schema.processlist p
          where db = database() and (state = 'User lock' or exists (
            select 1 from information_schema.innodb_trx t where t.trx_mysql_thread_id = p.id and trx_state = 'LOCK WAIT'))`
  const [found] = await target.query<{ n: number }>(statement)
  return Number(found?.n)
}

/** All rows of all tables of the database, as text. */
async function everything(target: DatabaseTarget): Promise<string> {
  const schema = 'url' in target ? 'database()' : "'public'"
  const tables = await target.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = ${schema} and table_type = 'BASE TABLE'`,
  )
  const contents = await Promise.all(tables.map(({ name }) => target.query(`select * from ${name}`)))
  return JSON.stringify(contents)
}
