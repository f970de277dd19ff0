import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Hook, type SubscribingKit, startSubscribingKit } from './subscribing.testkit.ts'

let kit: SubscribingKit
beforeAll(async () => {
  kit = await startSubscribingKit()
})
afterAll(async () => {
  await kit?.stop()
})
beforeEach(() => {
  kit.listed.splice(0)
  kit.setExpires(new Date(kit.app.clock.now().getTime() + 1_000_000))
})

const contacts = {
  objectName: 'contacts',
  destination: 'hook',
  inheritFieldsAndMapping: true,
  updateEvent: { enabled: 'always', watchFieldsAuto: 'all' },
}
const hooksOf = (id: string) => [...kit.hooks.values()].filter(({ callback }) => callback.includes(id))
let number = 0

/** Sends a notification, which has no body. */
async function notify({ callback, secret }: Hook, headers: Record<string, string>): Promise<number> {
  const url = callback.replace(kit.app.app.services.publicUrl, kit.app.url)
  const numbered = { 'x-token': secret, 'x-number': `${++number}`, ...headers }
  return (await fetch(url, { method: 'POST', headers: numbered })).status
}

/** Installs it, and waits until its registration is stored and its contacts are not due for long. */
async function install() {
  const installed = await kit.install({ objects: [contacts], provider: 'hookSignal' })
  const hook = await kit.hookOf(installed.id)
  await kit.until(async () => {
    const { rows } = await sql`select from registrations where installation_id = ${installed.id}
      and provider_id is not null`.execute(kit.app.db.sql)
    return rows.length === 1
  })
  expect(await isDueSoon(installed.id)).toBe(false)
  return { ...installed, hook }
}

/** Whether a read follows within seconds. The schedule of the contacts is years away. */
async function isDueSoon(id: string): Promise<boolean> {
  const { rows } = await sql<{ due: Date }>`
    select next_run_at as due from read_states where installation_id = ${id}`.execute(kit.app.db.sql)
  return (rows[0]?.due.getTime() ?? Number.POSITIVE_INFINITY) - kit.app.clock.now().getTime() <= 4_000
}

const readMessages = (id: string) =>
  kit.delivered.filter((message) => message.action === 'read' && message.installationId === id)

it('a notification without a record makes a read, whose records are delivered as those of any read', async () => {
  const { id, hook } = await install()
  expect(hook.events).toEqual(['exists'])
  kit.listed.push({ id: '1', email: 'a@x.test', Phone: '1' })
  const statuses = await Promise.all(Array.from({ length: 10 }, () => notify(hook, { 'x-state': 'exists' })))
  expect(new Set(statuses)).toEqual(new Set([200]))
  await kit.until(() => isDueSoon(id))
  kit.app.clock.advance(4_000)
  const [message] = await kit.until(() => readMessages(id).length > 0 && readMessages(id))
  expect(message?.result?.[0]).toMatchObject({ fields: { email: 'a@x.test' }, mappedFields: { telephone: '1' } })
  expect(kit.entries(id)).toEqual([])
})

it('a notification of another kind, or with another secret, makes no read', async () => {
  const { id, hook } = await install()
  expect(await notify(hook, { 'x-state': 'sync' })).toBe(200)
  expect(await notify({ ...hook, secret: 'guessed' }, { 'x-state': 'exists' })).toBe(401)
  expect(await notify({ ...hook, secret: 'guessed' }, { 'x-lifecycle': 'missed' })).toBe(401)
  await kit.until(async () => {
    const { rows } = await sql`select from inbound_events where installation_id = ${id}`.execute(kit.app.db.sql)
    return rows.length === 0
  })
  expect(await isDueSoon(id)).toBe(false)
})

it('events that were not sent are read', async () => {
  const { id, hook } = await install()
  expect(await notify(hook, { 'x-lifecycle': 'missed' })).toBe(200)
  expect(await isDueSoon(id)).toBe(true)
  expect(kit.asked).not.toContain(`POST /hooks/${hook.id}/renew`)
})

it('a registration is renewed when its provider asks for it, and nothing is read', async () => {
  const { id, hook } = await install()
  expect(await notify(hook, { 'x-lifecycle': 'expiring' })).toBe(200)
  await kit.until(() => kit.asked.includes(`POST /hooks/${hook.id}/renew`))
  expect(hooksOf(id)).toHaveLength(1)
  expect(await isDueSoon(id)).toBe(false)
})

it('a registration that the provider has removed is made again, and its object read', async () => {
  const { id, hook } = await install()
  kit.hooks.delete(hook.id)
  kit.orders.push({ what: `POST /hooks/${hook.id}/renew`, status: 404 })
  expect(await notify(hook, { 'x-lifecycle': 'removed' })).toBe(200)
  expect(await isDueSoon(id)).toBe(true)
  const again = await kit.hookOf(id)
  expect(again.id).not.toBe(hook.id)
  await kit.until(async () => (await notify(again, { 'x-state': 'exists' })) === 200)
})

it('a registration that expired while no node ran is made again without a renewal, and its object read', async () => {
  const { id, hook } = await install()
  kit.app.clock.advance(1_100_000)
  kit.setExpires(new Date(kit.app.clock.now().getTime() + 1_000_000))
  await kit.until(() => hooksOf(id).length === 1 && hooksOf(id)[0]?.id !== hook.id)
  await kit.until(() => isDueSoon(id))
  expect(kit.asked).not.toContain(`POST /hooks/${hook.id}/renew`)
})

it('a renewal that the provider refuses makes the installation unhealthy', async () => {
  const { id, integration, hook } = await install()
  kit.orders.push({ what: `POST /hooks/${hook.id}/renew`, status: 403 })
  kit.app.clock.advance(850_000)
  await kit.until(async () => {
    const path = `/integrations/${integration}/installations/${id}`
    return (await kit.call<{ healthStatus: string }>('GET', path)).healthStatus === 'unhealthy'
  })
  expect(hooksOf(id)).toHaveLength(1)
})
