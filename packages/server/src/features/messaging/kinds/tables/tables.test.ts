import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openForTest } from '../conformance.testkit.ts'
import type { OutgoingMessage } from '../kind.ts'
import { type DatabaseTarget, databasesToTest } from './databases.testkit.ts'
import { recordMessages } from './record-message.testkit.ts'

/** What holds for the tables of every database. */

const databases = await databasesToTest()

describe.each(databases.map((one) => [one.kind.name, one] as const))('tables of %s', (_, { kind, start, isThere }) => {
  describe.skipIf(!isThere)('with a server', () => {
    let target: DatabaseTarget
    let opened: ReturnType<typeof openForTest>
    const message = recordMessages()
    beforeEach(async () => {
      target = await start()
      opened = openForTest(kind, target.settings)
    })
    afterEach(async () => {
      await opened.close()
      await target.stop()
    })
    const send = async (...batch: OutgoingMessage[]) => (await opened.send(batch)).map(({ outcome }) => outcome)
    const rows = (columns: string) =>
      target.query<Record<string, unknown>>(`select ${columns} from contacts order by _mortise_group, _mortise_id`)

    it('keep the values of a record whose newest message of a batch has none', async () => {
      await send(
        message([{ id: '1', fields: { email: 'a' } }]),
        message([{ id: '1', subscribeEventType: 'update', rawEvent: {} }]),
        message([{ id: '2', fields: { email: 'b' } }]),
        message([{ id: '2', deleted: true }]),
      )
      const found = await rows('_mortise_id, email, _mortise_deleted_at is not null as is_deleted')
      expect(found.map(({ _mortise_id: id, email, is_deleted: gone }) => [id, email, Boolean(gone)])).toEqual([
        ['1', 'a', false],
        ['2', 'b', true],
      ])
    })

    it('come back when they were dropped', async () => {
      for (const email of ['a', 'b']) await send(message([{ id: '1', fields: { email } }]))
      await target.query('drop table contacts')
      expect(await send(message([{ id: '1', fields: { email: 'b' } }]))).toEqual(['delivered'])
      expect(await rows('email')).toEqual([{ email: 'b' }])
    })

    it('keep messages that are not about records whole, each once', async () => {
      const event = message([{ subscribeEventType: 'other', rawEvent: { a: 1 } }], { action: 'subscribe' })
      const body = Buffer.from('{"notificationType":"read.backfill.done","data":{}}')
      const notice: OutgoingMessage = { ...message([]), body, kind: 'notification', eventType: 'read.backfill.done' }
      await send(event, notice)
      await send(event, notice)
      expect(await target.query('select id, kind, event_type from _mortise_messages order by id')).toEqual([
        { id: event.id, kind: 'read', event_type: null },
        { id: notice.id, kind: 'notification', event_type: 'read.backfill.done' },
      ])
    })

    it.each([
      ['sent', 'a few records'],
      ['answered', 'a few records'],
      ['sent', 'many records'],
      ['answered', 'many records'],
    ] as const)(
      'lose nothing and double nothing when a connection ends, whatever was %s before, with %s',
      async (what, size) => {
        const sendUntilDone = async (one: OutgoingMessage) => {
          for (let attempt = 0; attempt < 5; attempt++) {
            const outcomes = await send(one).catch(() => [])
            if (outcomes[0] === 'delivered') return
          }
          throw new Error('never delivered')
        }
        // Enough for a COPY of several parts, where a database has one.
        const others = size === 'many records' ? 1_050 : 0
        let isOver = false
        for (let after = 0; !isOver; after++) {
          target.cutAfter(after, what)
          // A row, a new column, a deletion, a message that is kept, and further rows.
          const entries = [
            { id: 'counted', fields: { n: after, [`f${after}`]: 1 } },
            { id: 'gone', fields: {}, deleted: true },
            { subscribeEventType: 'other', rawEvent: {} },
            ...Array.from({ length: others }, (_, at) => ({
              id: `other${at}`,
              fields: { n: after, note: 'x'.repeat(150) },
            })),
          ]
          await sendUntilDone(message(entries))
          isOver = !target.wasCut()
          const found = await target.query<Record<string, unknown>>(
            `select min(_mortise_id) as id, n, _mortise_deleted_at is not null as gone, count(*) as number from contacts
              group by substr(_mortise_id, 1, 5), n, _mortise_deleted_at is not null order by 1`,
          )
          // Databases give numbers as text, and true as 1.
          expect(
            found.map(({ id, n, gone, number }) => [id, n === null ? null : Number(n), Boolean(gone), Number(number)]),
          ).toEqual([
            ['counted', after, false, 1],
            ['gone', null, true, 1],
            ...(others > 0 ? [['other0', after, false, others]] : []),
          ])
          expect(await target.received()).toHaveLength(after + 1)
          expect(after).toBeLessThan(60)
        }
      },
    )
  })
})
