import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { type SubscribingKit, startSubscribingKit } from './subscribing.testkit.ts'

let kit: SubscribingKit
let other: TestApp
beforeAll(async () => {
  kit = await startSubscribingKit()
  other = await startTestNode(kit.app, { MORTISE_PROVIDERS_DIR: kit.providersDir })
})
afterAll(async () => {
  await other?.stop()
  await kit.stop()
})

const contacts = {
  objectName: 'contacts',
  destination: 'hook',
  inheritFieldsAndMapping: true,
  createEvent: { enabled: 'always' },
  deleteEvent: { enabled: 'always' },
}
const inForce = (id: string) =>
  kit.until(async () => {
    const { rows } = await sql<{ renewTime: Date }>`
      select renew_time as "renewTime" from registrations
      where installation_id = ${id} and provider_id is not null and expire_time is not null`.execute(kit.app.db.sql)
    return rows[0]
  })

it('an event that comes to another node than the one that subscribed is believed there, and told once by both', async () => {
  const { id } = await kit.install({ objects: [contacts] })
  const hook = await kit.hookOf(id)
  const events = Array.from({ length: 30 }, (_, n) => ({ type: 'gone', recordId: `${n}`, eventId: `${id}-${n}` }))
  const nodes = [kit.app.url, other.url]
  const statuses = await Promise.all(events.flatMap((event) => nodes.map((to) => kit.send(hook, [event], { to }))))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(await kit.send({ ...hook, secret: 'guessed' }, events, { to: other.url })).toBe(401)
  await kit.until(async () => {
    const { rows } = await sql`select from inbound_events`.execute(kit.app.testDatabase.database.system)
    return rows.length === 0 && kit.entries(id).length >= 30
  })
  const ids = kit.entries(id).map((entry) => entry['id'])
  expect(ids.toSorted()).toEqual(events.map(({ recordId }) => recordId).toSorted())
})

it('what one node changes is known to the other, which had looked it up before', async () => {
  const { id, integration } = await kit.install({ objects: [contacts] })
  const hook = await kit.hookOf(id)
  const send = () => kit.send(hook, [{ type: 'gone', recordId: '1', eventId: `${id}-1` }], { to: other.url })
  await expect.poll(send, { timeout: 20_000 }).toBe(200)
  await kit.call('DELETE', `/integrations/${integration}/installations/${id}`)
  // Without a notification, it would be kept for a minute.
  await expect.poll(send, { timeout: 20_000 }).toBe(404)
})

it('a registration that ends is renewed by one of two nodes', async () => {
  kit.setExpires(new Date(kit.app.clock.now().getTime() + 1_000_000))
  const { id } = await kit.install({ objects: [contacts] })
  const hook = await kit.hookOf(id)
  const { renewTime } = await inForce(id)
  const renewals = () => kit.asked.filter((what) => what === `POST /hooks/${hook.id}/renew`).length
  kit.setExpires(new Date(kit.app.clock.now().getTime() + 100_000_000))
  for (const { clock } of [kit.app, other]) clock.advance(900_000)
  await kit.until(async () => (await inForce(id)).renewTime > renewTime)
  // Both have looked for what is due by then, and nothing is left to do.
  await kit.until(async () => {
    const { rows } = await sql`
      select from subscriptions s where installation_id = ${id} and next_time > ${kit.app.clock.now()}
        and not exists (select from mortise_jobs.job where name = 'subscribing.set-up' and state < 'completed')`.execute(
      kit.app.testDatabase.database.system,
    )
    return rows.length === 1
  })
  expect(renewals()).toBe(1)
})
