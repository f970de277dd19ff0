import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { bigquery } from '../bigquery/index.ts'
import { startBigQueryTables } from '../bigquery/tables-target.testkit.ts'
import { hasChdb } from '../clickhouse/chdb.testkit.ts'
import { clickhouse } from '../clickhouse/index.ts'
import { startChdbTables, startClickHouseTables } from '../clickhouse/tables-target.testkit.ts'
import { openForTest } from '../conformance.testkit.ts'
import type { DestinationKind, OutgoingMessage } from '../kind.ts'
import { redshift } from '../redshift/index.ts'
import { startRedshiftTables } from '../redshift/tables-target.testkit.ts'
import { snowflake } from '../snowflake/index.ts'
import { startSnowflakeTables } from '../snowflake/tables-target.testkit.ts'
import { recordMessages } from '../tables/record-message.testkit.ts'
import type { WarehouseTarget } from './warehouse-target.testkit.ts'

/** What holds for removed rows in the tables of every warehouse. */

interface Tested {
  name: string
  kind: DestinationKind
  start: () => Promise<WarehouseTarget>
  /** Whether a row with the key, and no values, stays until no older message is kept. */
  keepsKeys?: boolean
  isOpen?: boolean
  /** Distance of the requests between which connections end, where there are many. */
  step?: number
}

const ofClickHouse = { kind: clickhouse as DestinationKind, keepsKeys: true }
const warehouses: Tested[] = [
  ...(hasChdb() ? [{ ...ofClickHouse, name: 'a real clickhouse', start: startChdbTables, isOpen: true }] : []),
  { ...ofClickHouse, name: 'clickhouse', start: startClickHouseTables },
  { name: 'snowflake', kind: snowflake as DestinationKind, start: startSnowflakeTables },
  { name: 'bigquery', kind: bigquery as DestinationKind, start: startBigQueryTables },
  { name: 'redshift', kind: redshift as DestinationKind, start: startRedshiftTables, step: 4 },
]

describe.each(warehouses)(
  'tables of $name, with deletes: hard',
  ({ kind, start, keepsKeys = false, isOpen = false, step = 1 }) => {
    let target: WarehouseTarget
    const opened: ReturnType<typeof openForTest>[] = []
    const message = recordMessages()
    beforeEach(async () => {
      target = await start()
    })
    afterEach(async () => {
      for (const { close } of opened.splice(0)) await close()
      await target.stop()
    })

    /** Opens the destination, as a new run does. */
    const open = (deletes: 'soft' | 'hard', options: Parameters<typeof openForTest>[2] = {}) => {
      const sender = openForTest(kind, { ...target.settings, deletes }, options)
      opened.push(sender)
      return async (...batch: OutgoingMessage[]) => (await sender.send(batch)).map(({ outcome }) => outcome)
    }
    const table = kind.name === 'snowflake' ? 'CONTACTS' : 'contacts'
    /** Id, email and mark of each row, as a user sees them. */
    const rows = async () =>
      (await target.rows(table)).map((row) => [
        row['_mortise_id'],
        row['email'] ?? null,
        row['_mortise_deleted_at'] !== null,
      ])
    const updated = (id: string, email: string) => message([{ id, fields: { email }, raw: { email } }])
    const deleted = (...ids: string[]) => message(ids.map((id) => ({ id, fields: {}, deleted: true })))

    /** All messages of these tests are of June 27, 2025. */
    const forgetting = { messagesKeptFrom: async () => new Date('2025-06-28T00:00:00Z') }

    it('lose the row of a deleted record, and keep the others', async () => {
      const send = open('hard')
      await send(updated('1', 'a'), updated('2', 'b'), updated('3', 'c'))
      expect(await send(deleted('1'))).toEqual(['delivered'])
      const event = { id: '2', subscribeEventType: 'delete', fields: {}, rawEvent: {} }
      expect(await send(message([event], { action: 'subscribe' }))).toEqual(['delivered'])
      expect(await rows()).toEqual([['3', 'c', false]])
    })

    it('get no row of a record that never had one', async () => {
      const send = open('hard')
      expect(await send(deleted('1'), updated('2', 'b'))).toEqual(['delivered', 'delivered'])
      expect(await send(deleted('9'))).toEqual(['delivered'])
      expect(await rows()).toEqual([['2', 'b', false]])
    })

    it('get no row back from a message that is older than the deletion', async () => {
      const send = open('hard')
      const [first, late, mark] = [updated('1', 'secret'), updated('1', 'secret'), message([{ id: '1', fields: {} }])]
      const never = updated('9', 'secret')
      const removal = deleted('1', '9')
      await send(first)
      await send(removal)
      // In another run, and in a batch with others, too.
      for (const again of [send, open('hard')])
        for (const one of [late, first, mark, never]) expect(await again(one)).toEqual(['delivered'])
      await open('hard')(late, updated('2', 'x'), never)
      expect(await rows()).toEqual([['2', 'x', false]])
      expect(await target.everything()).not.toContain('secret')
    })

    it('get a row back from a newer message, and then the deletion has no effect any more', async () => {
      const send = open('hard')
      const removal = deleted('1')
      await send(updated('1', 'a'))
      await send(removal)
      await send(updated('1', 'back'))
      for (const again of [send, open('hard')]) await again(removal)
      expect(await rows()).toEqual([['1', 'back', false]])
      await send(deleted('1'))
      expect(await rows()).toEqual([])
    })

    it('end the same whatever is sent together, again, or in another order', async () => {
      const kinds = ['values', 'values', 'deletion', 'mark']
      for (const [how, inBatches] of Object.entries(orders)) {
        const last = new Map<string, string | null>()
        const sequence = Array.from({ length: 40 }, (_, at) => {
          const [id, what = ''] = [`${how} ${(at * 7 + (at >> 2)) % 4}`, kinds[(at * 5 + (at >> 3)) % 4]]
          if (what === 'values') last.set(id, `v${at}`)
          if (what === 'deletion') last.delete(id)
          if (what === 'mark' && !last.has(id)) last.set(id, null)
          if (what === 'mark') return message([{ id, subscribeEventType: 'update', rawEvent: {} }])
          return what === 'values' ? updated(id, `v${at}`) : deleted(id)
        })
        const send = open('hard')
        for (const batch of inBatches(sequence)) await send(...batch)
        const expected = [...last].sort().map(([id, email]) => [id, email, false])
        expect((await rows()).filter(([id]) => String(id).startsWith(`${how} `))).toEqual(expected)
      }
    })

    it('keep no value of the record, and no id where a hash is enough', async () => {
      const send = open('hard')
      const secret = 'ada@acme.test'
      const record = { id: secret, fields: { email: secret }, mappedFields: { mail: secret }, raw: { deep: [secret] } }
      const event = { subscribeEventType: 'other', providerEventType: 'contact.merged', rawEvent: { secret } }
      await send(message([record]), message([event], { action: 'subscribe' }))
      expect(await target.everything()).toContain(secret)
      expect(await send(deleted(secret))).toEqual(['delivered'])
      const left = await target.everything()
      if (keepsKeys) expect(left.split(secret)).toHaveLength(2)
      else expect(left).not.toContain(secret)
      expect(left).toContain('contact.merged')
    })

    it('are right when a statement for an older message is executed late', async () => {
      const send = open('hard')
      await send(updated('other', 'x'), deleted('gone'))
      let isOver = false
      for (let after = 0; !isOver; after += step) {
        const older = updated(`late ${after}`, 'late')
        target.cutAfter(after, 'sent')
        const outcomes = await send(older).catch(() => ['retry'])
        isOver = outcomes[0] === 'delivered'
        target.cutAfter(1_000, 'sent')
        // In another run, because this one waits for its answer.
        expect(await open('hard')(deleted(`late ${after}`))).toEqual(['delivered'])
        await target.executeCut()
        expect(await rows()).toEqual([['other', 'x', false]])
        expect(after).toBeLessThan(30)
      }
    })

    it('lose the row in the end when a connection ends while it is removed', async () => {
      const send = open('hard')
      await send(updated('other', 'x'), deleted('gone'))
      for (const what of ['sent', 'answered'] as const) {
        let isOver = false
        for (let after = 0; !isOver; after += step) {
          const [id, older] = [`${what} ${after}`, updated(`${what} ${after}`, 'late')]
          await send(older)
          const removal = deleted(id)
          target.cutAfter(after, what)
          const outcomes = await send(removal).catch(() => ['retry'])
          isOver = outcomes[0] === 'delivered'
          target.cutAfter(1_000, what)
          if (!isOver) expect(await send(removal)).toEqual(['delivered'])
          await send(older)
          expect(await rows()).toEqual([['other', 'x', false]])
          expect(await target.everything()).not.toContain('late')
          expect(after).toBeLessThan(30)
        }
      }
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
      // A table of before has the row in a form that the view of users leaves out.
      const left = async () => (await rows()).filter(([, email, isMarked]) => email !== null || !isMarked)
      expect(await left()).toEqual([['1', 'a', true]])
      const again = open('soft')
      for (const old of [late, two, removal]) await again(old)
      expect(await left()).toEqual([['1', 'a', true]])
      await again(updated('2', 'back'))
      await again(deleted('2'))
      expect(await left()).toEqual([
        ['1', 'a', true],
        ['2', 'back', true],
      ])
      // A row that was marked goes with the next deletion of its record.
      await open('hard')(deleted('1'))
      expect(await left()).toEqual([['2', 'back', true]])
    })

    it('have the row of a marking message that arrives again after the change, or its mark', async () => {
      await open('soft')(updated('1', 'secret'), updated('2', 'b'))
      const mark = deleted('1')
      await open('soft')(mark)
      expect(await open('hard')(mark)).toEqual(['delivered'])
      // ClickHouse keeps the last row of a version: the empty one. The others remove what is older than the message.
      const left = (await rows()).filter(([, email, isMarked]) => email !== null || !isMarked)
      expect(left).toEqual([...(keepsKeys ? [] : [['1', 'secret', true]]), ['2', 'b', false]])
      expect((await target.everything()).includes('secret')).toBe(!keepsKeys)
    })

    it('forget a deletion when no message of its day or before is kept', async () => {
      // All messages of these tests are of June 27, 2025.
      const [kept, forgotten] = [new Date('2025-06-27T00:00:00Z'), new Date('2025-06-28T00:00:00Z')]
      const removal = deleted('1')
      const older = updated('3', 'c')
      await open('hard', { messagesKeptFrom: async () => kept })(updated('2', 'b'), removal)
      await open('hard', { messagesKeptFrom: async () => kept })(deleted('3'))
      await open('hard')(older)
      expect(await rows()).toEqual([['2', 'b', false]])
      await open('hard', { messagesKeptFrom: async () => forgotten })(deleted('4'))
      // Nothing is remembered: if this message were still kept, it would be stored.
      await open('hard')(older)
      expect(await rows()).toEqual([
        ['2', 'b', false],
        ['3', 'c', false],
      ])
    })

    it('do not show a removed row again when its removal is forgotten', async () => {
      const first = updated('1', 'secret')
      await open('hard')(first, updated('2', 'b'))
      await open('hard')(deleted('1', '2'))
      await open('soft')(first, updated('2', 'back'))
      expect(await rows()).toEqual([['2', 'back', false]])
      await open('hard', forgetting)(deleted('3'))
      expect(await rows()).toEqual([['2', 'back', false]])
      expect(await target.everything()).not.toContain('secret')
    })

    it('show the same after a removal is forgotten that was never completed', async () => {
      await open('hard')(updated('other', 'x'), deleted('gone'))
      let isOver = false
      for (let after = 0; !isOver; after += step) {
        await open('hard')(updated(`half ${after}`, 'half'))
        target.cutAfter(after, 'sent')
        const outcomes = await open('hard')(deleted(`half ${after}`)).catch(() => ['retry'])
        isOver = outcomes[0] === 'delivered'
        target.cutAfter(1_000, 'sent')
        const shown = await rows()
        expect(await open('hard', forgetting)(deleted('gone'))).toEqual(['delivered'])
        expect(await rows()).toEqual(shown)
        expect(after).toBeLessThan(30)
      }
    })

    it('show the same after a removal is forgotten that a late statement came after', async () => {
      await open('hard')(updated('other', 'x'), deleted('gone'))
      let isOver = false
      for (let after = 0; !isOver; after += step) {
        const older = updated(`late ${after}`, 'late')
        target.cutAfter(after, 'sent')
        const outcomes = await open('hard')(older).catch(() => ['retry'])
        isOver = outcomes[0] === 'delivered'
        target.cutAfter(1_000, 'sent')
        await open('hard')(deleted(`late ${after}`))
        await target.executeCut()
        expect(await open('hard', forgetting)(deleted('gone'))).toEqual(['delivered'])
        expect(await rows()).toEqual([['other', 'x', false]])
        expect(await target.everything()).not.toContain('"late"')
        expect(after).toBeLessThan(30)
      }
    })

    it('forget many removals, in several runs if needed', async () => {
      const ids = Array.from({ length: 1_100 }, (_, at) => `many ${at} ${'x'.repeat(200)}`)
      await open('hard')(deleted(...ids))
      await open('hard', forgetting)(deleted('last 1'))
      // ClickHouse looks for what is under each, so a batch forgets some.
      expect((await target.everything()).includes('many')).toBe(keepsKeys)
      await open('hard', forgetting)(deleted('last 2'))
      const left = await target.everything()
      for (const id of ['many', 'last']) expect(left).not.toContain(id)
      expect(await rows()).toEqual([])
    })

    it('are right when a removal is remembered twice', async () => {
      const older = [updated('1', 'late'), updated('2', 'late'), message([{ id: '1', fields: {} }])]
      await open('hard')(updated('1', 'a'), updated('3', 'c'))
      await open('hard')(deleted('1', '2'))
      await target.repeatRemovals(table)
      for (const again of older) await open('hard')(again)
      expect(await rows()).toEqual([['3', 'c', false]])
      expect(await open('hard')(updated('1', 'new'), updated('3', 'd'))).toEqual(['delivered', 'delivered'])
      const shown = [
        ['1', 'new', false],
        ['3', 'd', false],
      ]
      expect(await rows()).toEqual(shown)
      expect(await open('hard')(deleted('1'))).toEqual(['delivered'])
      expect(await rows()).toEqual(shown.slice(1))
    })

    it('remove many rows at once', async () => {
      const send = open('hard')
      const ids = Array.from({ length: 1_300 }, (_, at) => `${at}`)
      await send(message(ids.map((id) => ({ id, fields: { email: id } }))))
      const late = message(ids.map((id) => ({ id, fields: { email: 'late' } })))
      await send(deleted(...ids.slice(1)))
      await send(late)
      expect(await rows()).toEqual([['0', 'late', false]])
    })

    it('need no more permissions than a test of the destination checks', async () => {
      open('hard')
      const check = () =>
        opened[0]?.sender.check?.({ time: new Date(), timeoutMs: 10_000, signal: new AbortController().signal })
      expect(await check()).toMatchObject({ outcome: 'delivered' })
      await target.forbid()
      if (!isOpen) expect(await check()).toMatchObject({ outcome: 'retry' })
      if (kind.name === 'clickhouse' && !isOpen)
        expect((await check())?.error).toContain('ALTER DELETE, CREATE TABLE, ALTER ADD COLUMN, INSERT and SELECT')
    })

    it('are the only ones that have the setting', () => {
      const guard = createAddressGuard({ allow: parseAllowedNetworks('loopback') })
      const names = (input: object) =>
        kind.readSettings({ ...target.settings, ...input }, 'metadata', { guard }).issues.map(({ name }) => name)
      expect(names({ deletes: 'hard' })).toEqual([])
      expect(names({ deletes: 'never' })).toEqual(['metadata.deletes'])
      expect(names({ deletes: 'hard', layout: 'messages' })).toContain('metadata.deletes')
    })
  },
)

/** How a sequence of messages may arrive. */
const orders: Record<string, (sequence: OutgoingMessage[]) => OutgoingMessage[][]> = {
  'one by one': (sequence) => sequence.map((one) => [one]),
  together: (sequence) => [sequence],
  'in parts, some twice': (sequence) => [sequence.slice(0, 25), sequence, sequence.slice(0, 20), sequence.toReversed()],
}
