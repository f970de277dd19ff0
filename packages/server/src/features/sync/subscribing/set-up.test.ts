import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openProviderAccess } from '../../provider-calls/calls/index.ts'
import { followLifecycle } from './follow-lifecycle.ts'
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

it('what is refused while its connection works again is set up again', async () => {
  const { id, integration, connectionId } = await kit.install({ objects: [] })
  const recover = async () => {
    const { connection } = await openProviderAccess(kit.app.db, kit.app.app.services, connectionId)
    await connection.failed({ scope: 'credential' })
    await connection.succeeded()
  }
  kit.pauses.push({ what: 'POST /hooks', until: recover })
  kit.orders.push({ what: 'POST /hooks', status: 403 })
  await kit.deploy(integration, [contacts])
  await kit.until(() => hooksOf(id).length === 1)
})

it('a renewal that is demanded while another one is sent follows it', async () => {
  kit.setExpires(new Date(kit.app.clock.now().getTime() + 1_000_000))
  const { id } = await kit.install({ objects: [contacts] })
  const hook = await kit.hookOf(id)
  const renewal = `POST /hooks/${hook.id}/renew`
  const { projectId } = kit.app
  const demand = () =>
    followLifecycle(
      kit.app.app.services,
      { projectId, installationId: id, registrationId: undefined, objectName: 'contacts' },
      new Set(['renew'] as const),
    )
  kit.pauses.push({ what: renewal, until: demand })
  kit.setExpires(new Date(kit.app.clock.now().getTime() + 100_000_000))
  await demand()
  await kit.until(() => kit.asked.filter((what) => what === renewal).length === 2)
})

it('a renewal that is demanded while a registration is made follows it', async () => {
  kit.setExpires(new Date(kit.app.clock.now().getTime() + 100_000_000))
  const { id, integration } = await kit.install({ objects: [] })
  const { projectId } = kit.app
  const of = { projectId, installationId: id, registrationId: undefined, objectName: 'contacts' }
  const demand = () => followLifecycle(kit.app.app.services, of, new Set(['renew'] as const))
  kit.pauses.push({ what: 'POST /hooks', until: demand })
  await kit.deploy(integration, [contacts])
  const hook = await kit.hookOf(id)
  await kit.until(() => kit.asked.includes(`POST /hooks/${hook.id}/renew`))
})

it('a change that comes while a provider without webhooks is found keeps its time', async () => {
  const { id, integrationId, connectionId } = await kit.install({ objects: [] })
  const { db, app } = kit.app
  await sql`update connections set provider = 'nobody' where id = ${connectionId}`.execute(db.sql)
  await sql`insert into subscriptions (project_id, installation_id, integration_id, next_time)
            values (${kit.app.projectId}, ${id}, ${integrationId}, now())`.execute(db.sql)
  let running: Promise<void> | undefined
  await db.transaction(async (tx) => {
    await sql`lock table installations in access exclusive mode`.execute(tx.sql)
    running = setUp(db, app.services, id, new AbortController().signal)
    await kit.until(async () => {
      const { rows } = await sql`
        select from subscriptions where installation_id = ${id} and fence is not null`.execute(db.sql)
      return rows.length > 0
    })
    await sql`update subscriptions set next_time = now() + interval '2 hours' where installation_id = ${id}`.execute(
      tx.sql,
    )
  })
  await running
  const { rows } = await sql`
    select from subscriptions where installation_id = ${id} and next_time > now() + interval '1 hour'`.execute(db.sql)
  expect(rows).toHaveLength(1)
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

const companies = {
  objectName: 'companies',
  destination: 'hook',
  inheritFieldsAndMapping: true,
  createEvent: { enabled: 'always' },
}
const errorOf = async (id: string) => {
  const { rows } = await sql<{ error: string | null; next_time: Date | null }>`
    select error, next_time from subscriptions where installation_id = ${id}`.execute(kit.app.db.sql)
  return rows[0]
}

it('places that are not listed keep no other registration from being made, or renewed', async () => {
  kit.setExpires(new Date(kit.app.clock.now().getTime() + 1_000_000))
  kit.orders.push({ what: 'GET /spaces', status: 403 })
  const { id } = await kit.install({ objects: [contacts, companies], provider: 'hookSpaces' })
  await kit.until(async () => typeof (await errorOf(id))?.error === 'string')
  expect(hooksOf(id).map(({ object }) => object)).toEqual(['companies'])
  expect((await errorOf(id))?.next_time).toBeInstanceOf(Date)
})

it('an object that every place refuses is reported, next to one that is registered once', async () => {
  kit.spaces.push({ id: 'a', mine: true }, { id: 'b', mine: true })
  kit.onRegister(async ({ object }) => {
    if (object === 'companies') kit.orders.push(...[1, 2].map(() => ({ what: 'POST /hooks', status: 403 })))
  })
  const { id } = await kit.install({ objects: [contacts, companies], provider: 'hookSpaces' })
  await kit.until(async () => typeof (await errorOf(id))?.error === 'string')
  expect(hooksOf(id).map(({ object }) => object)).toEqual(['companies'])
  kit.onRegister(undefined)
})
