import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SubscribingKit, startSubscribingKit } from './subscribing.testkit.ts'

let kit: SubscribingKit
const pair = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const sender = 'push@project.test'
beforeAll(async () => {
  kit = await startSubscribingKit()
  kit.keySet.keys.push({ ...pair.publicKey.export({ format: 'jwk' }), kid: '1', use: 'sig' })
  await kit.call('POST', '/provider-apps', {
    provider: 'hookBroker',
    clientId: 'client',
    clientSecret: 'secret',
    metadata: { providerParams: { project: 'p1', topic: 't1', sender } },
  })
})
afterAll(async () => {
  await kit?.stop()
})

const contacts = {
  objectName: 'contacts',
  destination: 'hook',
  inheritFieldsAndMapping: true,
  updateEvent: { enabled: 'always', watchFieldsAuto: 'all' },
}
let history = 100

/** Installs for the mailbox `NAME@x.test`, and waits until it is watched. */
async function install(name: string, integration = 'broker') {
  const credential = { apiKey: name }
  const installed = await kit.install({ objects: [contacts], provider: 'hookBroker', integration, credential })
  await kit.until(async () => {
    const { rows } = await sql`select from subscriptions s join registrations r using (project_id, installation_id)
      where s.installation_id = ${installed.id} and s.account = ${`${name}@x.test`} and r.next_renew_time is not null
        and s.next_time > ${kit.app.clock.now()}`.execute(kit.app.db.sql)
    return rows.length === 1
  })
  return installed
}

interface Push {
  integration?: string
  key?: KeyObject
  claims?: Record<string, unknown>
  issuer?: string
  audience?: string
}

/** Sends a notification as the broker does; answers the status. */
async function push(name: string, { integration = 'broker', key = pair.privateKey, ...told }: Push = {}) {
  const path = `/subscribe/v1/projects/${kit.app.projectId}/integrations/${integration}`
  const data = { emailAddress: `${name}@x.test`, historyId: ++history }
  const message = { data: Buffer.from(JSON.stringify(data)).toString('base64'), messageId: `${history}` }
  const token = await new SignJWT({ email: sender, email_verified: true, ...told.claims })
    .setProtectedHeader({ alg: 'RS256', kid: '1' })
    .setIssuer(told.issuer ?? 'https://issuer.test')
    .setAudience(told.audience ?? `${kit.app.app.services.publicUrl}${path}`)
    .setExpirationTime(Math.floor(kit.app.clock.now().getTime() / 1_000) + 3_600)
    .sign(key)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ message, subscription: 'projects/p1/subscriptions/s1' })
  return (await fetch(`${kit.app.url}${path}`, { method: 'POST', headers, body })).status
}

async function isDueSoon(id: string): Promise<boolean> {
  const { rows } = await sql<{ due: Date }>`
    select next_run_at as due from read_states where installation_id = ${id}`.execute(kit.app.db.sql)
  return (rows[0]?.due.getTime() ?? Number.POSITIVE_INFINITY) - kit.app.clock.now().getTime() <= 4_000
}

it('a mailbox is watched with the topic of the app, and its notifications make reads of its installations only', async () => {
  const ada = await install('ada')
  const bob = await install('bob')
  expect(kit.watched).toContainEqual({ topic: 'projects/p1/topics/t1' })
  expect(await push('ada')).toBe(200)
  await kit.until(() => isDueSoon(ada.id))
  expect(await isDueSoon(bob.id)).toBe(false)
})

it('only a token of the declared sender, for this URL, and of a key of the set is accepted', async () => {
  const eve = await install('eve')
  const other = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  for (const told of [
    { key: other.privateKey },
    { claims: { email: 'someone@else.test' } },
    { claims: { email_verified: false } },
    { issuer: 'https://other.test' },
    { audience: 'https://other.test/subscribe' },
  ])
    expect(await push('eve', told)).toBe(401)
  expect(await isDueSoon(eve.id)).toBe(false)
})

it('a watch is renewed each day, and its URL is shown with the app', async () => {
  const { integration } = await install('kim', 'daily')
  const before = kit.watched.length
  kit.app.clock.advance(86_400_000)
  await kit.until(() => kit.watched.length > before)
  const apps = await kit.call<{ provider: string; webhookUrls?: { integrationName: string }[] }[]>(
    'GET',
    '/provider-apps',
  )
  const app = apps.find(({ provider }) => provider === 'hookBroker')
  expect(app?.webhookUrls?.map(({ integrationName }) => integrationName)).toContain(integration)
})
