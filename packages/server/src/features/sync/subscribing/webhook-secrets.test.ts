import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SubscribingKit, startSubscribingKit } from './subscribing.testkit.ts'

let kit: SubscribingKit
beforeAll(async () => {
  kit = await startSubscribingKit()
})
afterAll(async () => {
  await kit.stop()
})

const contacts = {
  objectName: 'contacts',
  destination: 'hook',
  inheritFieldsAndMapping: true,
  createEvent: { enabled: 'always' },
}
interface Installed {
  id: string
  integration: string
  integrationId: string
}
interface Webhook {
  url: string
  secret: { state: string; setTime?: string; previousExpireTime?: string }
}

const pathOf = ({ id, integration }: Installed) => `/integrations/${integration}/installations/${id}`
const webhookOf = (one: Installed) => kit.call<Webhook>('GET', `${pathOf(one)}/webhook`)
const setSecret = (one: Installed, secret: string, more = {}) =>
  kit.call<Webhook>('PUT', `${pathOf(one)}/webhook-secret`, { secret, ...more })
const healthOf = (one: Installed) => kit.call<{ healthStatus: string; healthReasons?: string[] }>('GET', pathOf(one))

let events = 0
/** Sends an event to the URL that the customer copied, signed as the provider does. Returns the status. */
async function send(url: string, secret: string | undefined, event: object = { record: { id: `${++events}` } }) {
  const body = JSON.stringify(event)
  const signature = secret && createHmac('sha256', secret).update(body).digest('hex')
  const headers = { 'content-type': 'application/json', ...(signature && { 'x-signature': `sha256 ${signature}` }) }
  return (await fetch(url.replace(kit.app.app.services.publicUrl, kit.app.url), { method: 'POST', headers, body }))
    .status
}

/** Returns once the URL answers a secret with a status: a node learns of changes by a notification. */
const untilAnswered = (url: string, secret: string, status: number) =>
  kit.until(async () => (await send(url, secret)) === status)

const stored = async (id: string) => {
  const { rows } = await sql`select from inbound_events where installation_id = ${id}
    union all select from inbound_keys where stream_id = ${id}`.execute(kit.app.testDatabase.database.system)
  return rows.length
}

it('an installation without the secret says so, refuses events, and works once the customer has entered it', async () => {
  const installed = await kit.install({ objects: [contacts], provider: 'hookManual' })
  const unhealthy = await kit.until(async () => {
    const found = await healthOf(installed)
    return found.healthStatus === 'unhealthy' && found
  })
  expect(unhealthy.healthReasons?.join()).toContain('has no secret yet')
  const before = await webhookOf(installed)
  expect(before).toEqual({
    url: expect.stringContaining(`/integrations/${installed.integrationId}/installations/${installed.id}`),
    providerDisplayName: 'Hook Manual',
    secret: { displayName: 'Secret key', prompt: 'Look there.', docsUrl: 'https://docs.test/hooks', state: 'missing' },
  })
  for (const secret of [undefined, '', 'a secret of mine']) expect(await send(before.url, secret)).toBe(401)
  expect(await stored(installed.id)).toBe(0)

  const after = await setSecret(installed, '  a secret of mine\n')
  expect(after.secret).toMatchObject({ state: 'set', setTime: expect.any(String) })
  expect(after.secret).not.toHaveProperty('previousExpireTime')
  await kit.until(async () => (await healthOf(installed)).healthStatus === 'healthy')
  await untilAnswered(before.url, 'a secret of mine', 200)
  await kit.until(() => kit.entries(installed.id).length === 1)
  const held = await stored(installed.id)
  for (const secret of [undefined, '', 'another secret']) expect(await send(before.url, secret)).toBe(401)
  expect(await stored(installed.id)).toBe(held)
})

it('a former secret is valid for a day more, and ends at once if others know it', async () => {
  const installed = await kit.install({ objects: [contacts], provider: 'hookManual' })
  const { url } = await setSecret(installed, 'the first secret')
  expect(await send(url, 'the first secret')).toBe(200)
  const { secret } = await setSecret(installed, 'the second secret')
  expect(Date.parse(secret.previousExpireTime ?? '') - Date.parse(secret.setTime ?? '')).toBe(86_400_000)
  // The same again begins no other overlap.
  kit.app.clock.advance(3_600_000)
  expect((await setSecret(installed, 'the second secret')).secret).toEqual(secret)
  for (const valid of ['the first secret', 'the second secret']) await untilAnswered(url, valid, 200)
  kit.app.clock.advance(23 * 3_600_000)
  expect(await send(url, 'the first secret')).toBe(401)
  expect(await send(url, 'the second secret')).toBe(200)
  expect((await webhookOf(installed)).secret).not.toHaveProperty('previousExpireTime')

  await setSecret(installed, 'the third secret')
  await setSecret(installed, 'the third secret', { endPrevious: true })
  await untilAnswered(url, 'the second secret', 401)
  expect(await send(url, 'the third secret')).toBe(200)
})

it('a secret is valid for its own installation only, and goes with it', async () => {
  const [one, other] = [
    await kit.install({ objects: [contacts], provider: 'hookManual' }),
    await kit.install({ objects: [contacts], provider: 'hookManual' }),
  ]
  const { url } = await setSecret(one, 'a secret of one')
  await setSecret(other, 'a secret of another')
  expect(await send(url, 'a secret of another')).toBe(401)
  await kit.call('DELETE', pathOf(one))
  await untilAnswered(url, 'a secret of one', 404)
  const { rows } = await sql`select from webhook_secrets where installation_id = ${one.id}`.execute(kit.app.db.sql)
  expect(rows).toEqual([])
})

it('a secret is nowhere to be read: neither in rows nor in logs nor in what the interface returns', async () => {
  const installed = await kit.install({ objects: [contacts], provider: 'hookManual' })
  const shown = [
    await setSecret(installed, 'nobody-reads-this-one'),
    await setSecret(installed, 'nobody-reads-this-two'),
    await webhookOf(installed),
    await healthOf(installed),
    await kit.call('GET', `/integrations/${installed.integration}/installations`),
  ]
  const { rows } = await sql<object>`select * from webhook_secrets`.execute(kit.app.db.sql)
  const { rows: entries } = await sql<object>`select * from audit_entries`.execute(kit.app.testDatabase.database.system)
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(entries)).toContain('webhook-secret')
  expect(JSON.stringify([shown, rows, entries, kit.app.logs])).not.toContain('nobody-reads-this')
})

it('secrets that verify nothing are refused, and so is a secret where nobody enters one', async () => {
  const installed = await kit.install({ objects: [contacts], provider: 'hookManual' })
  const answer = (one: Installed, body: unknown) =>
    kit.app.call<{ context?: { code: string } }>('PUT', `/projects/default${pathOf(one)}/webhook-secret`, body)
  for (const body of [{}, { secret: '' }, { secret: '   1234567   ' }, { secret: 5 }, { secret: 'x'.repeat(1_001) }])
    expect((await answer(installed, body)).status).toBe(400)
  expect((await webhookOf(installed)).secret.state).toBe('missing')
  const automatic = await kit.install({ objects: [contacts] })
  const refused = await answer(automatic, { secret: 'a secret of mine' })
  expect([refused.status, refused.body.context?.code]).toEqual([404, 'no-webhook-set-up'])
  // A public key of the connection is entered elsewhere, but the URL is the same to copy.
  const keyed = await kit.install({ objects: [contacts], provider: 'hookToken' })
  expect(await webhookOf(keyed)).toEqual({ url: expect.stringContaining(keyed.id), providerDisplayName: 'hookToken' })
  expect((await answer(keyed, { secret: 'a secret of mine' })).status).toBe(404)
})

it('the credential of the connection may be the secret, and a new one counts right away', async () => {
  const installed = await kit.install({ objects: [contacts], provider: 'hookKeyed', credential: { apiKey: 'key one' } })
  const { url } = await webhookOf(installed)
  await kit.until(async () => (await send(url, 'key one')) === 200)
  expect(await send(url, 'key two')).toBe(401)
  await kit.call('PATCH', `/connections/${installed.connectionId}`, {
    updateMask: ['apiKey'],
    connection: { apiKey: 'key two' },
  })
  await kit.until(async () => (await send(url, 'key two')) === 200)
})

it('equal events are delivered each time where nothing tells them apart', async () => {
  const installed = await kit.install({ objects: [contacts], provider: 'hookManual' })
  const { url } = await setSecret(installed, 'a secret of mine')
  const event = { record: { id: 'same' } }
  for (let times = 0; times < 2; times++) expect(await send(url, 'a secret of mine', event)).toBe(200)
  await kit.until(() => kit.entries(installed.id).length === 2)
})
