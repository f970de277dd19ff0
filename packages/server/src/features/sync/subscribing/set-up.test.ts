import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { setUp } from './set-up.ts'
import { type SubscribingKit, startSubscribingKit } from './subscribing.testkit.ts'

let kit: SubscribingKit
beforeAll(async () => {
  kit = await startSubscribingKit()
})
afterAll(async () => {
  await kit?.stop()
})

const contacts = {
  objectName: 'contacts',
  destination: 'hook',
  inheritFieldsAndMapping: true,
  createEvent: { enabled: 'always' },
  updateEvent: { enabled: 'always', requiredWatchFields: ['telephone'] },
  deleteEvent: { enabled: 'always' },
}
const hooksOf = (id: string) => [...kit.hooks.values()].filter(({ callback }) => callback.includes(id))

it('a change that comes while registrations are made is not lost', async () => {
  const { id, integration } = await kit.install({ objects: [] })
  const dueTime = async () => {
    const { rows } = await sql<{ next_time: Date | null }>`
      select next_time from subscriptions where installation_id = ${id}`.execute(kit.app.db.sql)
    return rows[0]?.next_time?.getTime()
  }
  const changed = async () => {
    const before = await dueTime()
    await kit.deploy(integration, [{ ...contacts, deleteEvent: undefined }])
    await kit.until(async () => (await dueTime()) !== before)
  }
  kit.pauses.push({ what: 'POST /hooks', until: changed })
  await kit.deploy(integration, [contacts])
  await kit.until(() => hooksOf(id).length === 1 && hooksOf(id)[0]?.events.join() === 'changed,made')
  expect(kit.pauses).toEqual([])
})

it('what a worker that died was setting up is set up when its lease has ended', async () => {
  const { id } = await kit.install({ objects: [contacts] })
  const hook = await kit.hookOf(id)
  await kit.until(async () => {
    const { rows } = await sql`
      select from mortise_jobs.job where name = 'subscribing.set-up' and state < 'completed'`.execute(
      kit.app.testDatabase.database.system,
    )
    return rows.length === 0
  })
  kit.hooks.delete(hook.id)
  await sql`delete from registrations where installation_id = ${id}`.execute(kit.app.db.sql)
  const lease = (until: ReturnType<typeof sql>) =>
    sql`update subscriptions set next_time = now() - interval '1 minute', fence = gen_random_uuid(), lease_until = ${until}
         where installation_id = ${id}`.execute(kit.app.db.sql)
  await lease(sql`now() + interval '1 hour'`)
  const { services } = kit.app.app
  await setUp(kit.app.db, services, id, new AbortController().signal)
  expect(hooksOf(id)).toEqual([])
  await lease(sql`now()`)
  await kit.hookOf(id)
})
