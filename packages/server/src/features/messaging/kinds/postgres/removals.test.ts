import { afterEach, beforeEach, expect, it } from 'vitest'
import { openForTest } from '../conformance.testkit.ts'
import type { DestinationKind } from '../kind.ts'
import { recordMessages } from '../tables/record-message.testkit.ts'
import { type PostgresTarget, startPostgresTarget } from './conformance.testkit.ts'
import { postgres } from './index.ts'

let target: PostgresTarget
let senders: ReturnType<typeof openForTest>[]
beforeEach(async () => {
  target = await startPostgresTarget()
  senders = [0, 1].map(() => openForTest(postgres as DestinationKind, { ...target.settings, deletes: 'hard' }))
})
afterEach(async () => {
  for (const { close } of senders) await close()
  await target.stop()
})

it('a batch that adds a column locks no table while it waits for one that removes rows', async () => {
  const message = recordMessages()
  const contact = (id: string, fields: object) => message([{ id, fields }])
  const account = (id: string) => message([{ id, fields: { n: 1 } }], { objectName: 'accounts' })
  const waiting = async () => {
    const [found] = await target.query<{ n: number }>(`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and application_name = 'mortise' and wait_event_type = 'Lock'`)
    return found?.n
  }
  for (const { send } of senders) await send([contact('1', { email: 'a' }), account('1')])
  await target.query(`create function wait() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(7); return null; end $$;
    create trigger wait after insert on accounts for each row execute function wait()`)
  await target.query('select pg_advisory_lock(7)')

  const [one, other] = senders
  const removing = one?.send([
    message([{ id: '1', deleted: true }], { objectName: 'accounts' }),
    account('2'),
    contact('2', { email: 'c' }),
  ])
  await expect.poll(waiting).toBe(1)
  const adding = other?.send([contact('1', { email: 'b', phone: '1' })])
  await expect.poll(waiting).toBe(2)
  expect(
    await target.query("select mode from pg_locks where relation = 'contacts'::regclass and granted"),
  ).not.toContainEqual({
    mode: 'AccessExclusiveLock',
  })
  await target.query('select pg_advisory_unlock(7)')
  const results = [...((await removing) ?? []), ...((await adding) ?? [])]
  expect(results.map(({ outcome }) => outcome)).toEqual(Array(4).fill('delivered'))
  expect(await target.query('select email, phone from contacts order by 1')).toEqual([
    { email: 'b', phone: '1' },
    { email: 'c', phone: null },
  ])
  expect(await target.query('select _mortise_id as id from accounts')).toEqual([{ id: '2' }])
})
