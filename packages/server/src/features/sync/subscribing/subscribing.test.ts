import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { subscribingTicks } from './index.ts'
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
  updateEvent: { enabled: 'always', requiredWatchFields: ['telephone'] },
  deleteEvent: { enabled: 'always' },
}
const eventId = () => randomBytes(8).toString('hex')
const count = async (table: string) => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}`.execute(
    kit.app.testDatabase.database.system,
  )
  return rows[0]?.n
}

/** Waits until no job of ours waits or runs. */
const idle = () =>
  kit.until(async () => {
    const { rows } = await sql`
      select from mortise_jobs.job where name like 'subscribing.%' and state < 'completed'`.execute(
      kit.app.testDatabase.database.system,
    )
    return rows.length === 0
  })

it('an installation is registered at the provider, and its events arrive mapped', async () => {
  const { id } = await kit.install({ objects: [contacts] })
  const hook = await kit.hookOf(id)
  expect(hook.events).toEqual(['changed', 'gone', 'made'])
  const record = { id: '1', email: 'a@x.test', Phone: '1', other: true }
  const made = { type: 'made', recordId: '1', eventId: eventId(), record, at: '2026-01-02T03:04:05Z' }
  expect(await kit.send(hook, [made])).toBe(200)
  const [entry] = await kit.until(() => kit.entries(id).length > 0 && kit.entries(id))
  expect(entry).toEqual({
    fields: { email: 'a@x.test' },
    mappedFields: { telephone: '1' },
    raw: record,
    subscribeEventType: 'create',
    providerEventType: 'made',
    rawEvent: made,
    id: '1',
  })
  const message = kit.delivered.find(({ installationId }) => installationId === id)
  expect(message).toMatchObject({ action: 'subscribe', objectName: 'people', rawObjectName: 'contacts' })
  expect(message).not.toHaveProperty('operationId')
  await kit.until(async () => (await count('inbound_events')) === 0)
})

it('a record that the event does not hold is read, once for many events, and again when the provider was away', async () => {
  const { id } = await kit.install({ objects: [contacts] })
  const hook = await kit.hookOf(id)
  kit.records.set('77', { id: '77', email: 'b@x.test', Phone: '7' })
  kit.orders.push({ what: 'GET /contacts/77', status: 503 })
  const from = kit.asked.length
  const event = () => ({ type: 'changed', recordId: '77', eventId: eventId(), changed: ['phone'] })
  expect(await kit.send(hook, [event(), event(), event()])).toBe(200)
  await kit.until(async () => {
    const { rows } = await sql`select from inbound_events where attempts = 1`.execute(kit.app.db.sql)
    return rows.length === 3
  })
  expect(kit.entries(id)).toEqual([])
  kit.app.clock.advance(60_000)
  const entries = await kit.until(() => kit.entries(id).length === 3 && kit.entries(id))
  expect(entries[0]).toMatchObject({
    mappedFields: { telephone: '7' },
    subscribeEventType: 'update',
    fieldsUpdated: ['phone'],
    id: '77',
  })
  expect(kit.asked.slice(from).filter((what) => what.startsWith('GET /contacts/77'))).toHaveLength(2)
})

it('records of many events are read together where the provider can, without those that events hold', async () => {
  const companies = { ...contacts, objectName: 'companies', updateEvent: undefined, deleteEvent: undefined }
  const { id } = await kit.install({ objects: [companies] })
  const hook = await kit.hookOf(id, 'companies')
  for (const name of ['c1', 'c2', 'c4']) kit.records.set(name, { id: name, size: 5 })
  const from = kit.asked.length
  const event = (recordId: string, more = {}) => ({ type: 'made', recordId, eventId: eventId(), ...more })
  const held = event('c5', { record: { id: 'c5', size: 6 } })
  expect(await kit.send(hook, [event('c1'), held, event('c2'), event('c3'), event('c4'), event('c1')])).toBe(200)
  const entries = await kit.until(() => kit.entries(id).length === 6 && kit.entries(id))
  expect(entries.map((entry) => entry['raw'])).toEqual([
    { id: 'c1', size: 5 },
    { id: 'c5', size: 6 },
    { id: 'c2', size: 5 },
    undefined,
    { id: 'c4', size: 5 },
    { id: 'c1', size: 5 },
  ])
  const asked = kit.asked.slice(from).filter((what) => what.startsWith('GET /companies?ids'))
  expect(asked).toEqual(['GET /companies?ids=c1%2Cc2', 'GET /companies?ids=c3%2Cc4'])
})

it('updates that touch no watched field are dropped, and a deletion needs no record', async () => {
  const { id } = await kit.install({ objects: [contacts] })
  const hook = await kit.hookOf(id)
  const record = { id: '5', email: 'c@x.test' }
  const events = [
    { type: 'changed', recordId: '5', eventId: eventId(), record, changed: ['email'] },
    { type: 'nothing of ours', recordId: '5', eventId: eventId() },
    { type: 'gone', recordId: '5', eventId: eventId() },
  ]
  expect(await kit.send(hook, events)).toBe(200)
  const entries = await kit.until(() => kit.entries(id).length > 0 && kit.entries(id))
  expect(entries).toEqual([
    { fields: {}, subscribeEventType: 'delete', providerEventType: 'gone', rawEvent: events[2], id: '5' },
  ])
})

it('further events pass through raw, and a config turns events off', async () => {
  const { id } = await kit.install({
    objects: [{ ...contacts, otherEvents: ['contact.sneezed'] }],
    config: { subscribe: { objects: { contacts: { destination: 'hook', createEvent: { enabled: 'never' } } } } },
  })
  const hook = await kit.hookOf(id)
  expect(hook.events).toEqual(['changed', 'contact.sneezed', 'gone'])
  const sneeze = { type: 'contact.sneezed', recordId: '9', eventId: eventId() }
  await kit.send(hook, [{ type: 'made', recordId: '9', eventId: eventId() }, sneeze])
  const entries = await kit.until(() => kit.entries(id).length > 0 && kit.entries(id))
  expect(entries).toEqual([{ subscribeEventType: 'other', providerEventType: 'contact.sneezed', rawEvent: sneeze }])
})

it('an association tells both records, whole where that is wanted, as they are read', async () => {
  const linked = { objectName: 'contacts', destination: 'hook', inheritFieldsAndMapping: true }
  const one = await kit.install({ objects: [{ ...linked, associationChangeEvent: { enabled: 'always' } }] })
  const whole = { enabled: 'always', includeFullRecords: true }
  const two = await kit.install({ objects: [{ ...linked, associationChangeEvent: whole }] })
  const contact = { id: '21', email: 'd@x.test', Phone: '9' }
  const company = { id: '31', name: 'Acme' }
  kit.records.set('21', contact)
  kit.records.set('31', company)
  for (const { id } of [one, two]) {
    const hook = await kit.hookOf(id)
    expect(hook.events).toEqual(['linked'])
    const event = { type: 'linked', from: '21', to: '31', kind: 'CONTACT_TO_COMPANY', eventId: eventId() }
    expect(await kit.send(hook, [event])).toBe(200)
    const [entry] = await kit.until(() => kit.entries(id).length > 0 && kit.entries(id))
    const from = { id: '21', objectName: 'people', rawObjectName: 'contacts' }
    const to = { id: '31', objectName: 'companies', rawObjectName: 'companies' }
    const told = { subscribeEventType: 'associationUpdate', providerEventType: 'linked', rawEvent: event }
    const full = {
      fromRecord: { ...from, fields: { email: 'd@x.test' }, mappedFields: { telephone: '9' }, raw: contact },
      toRecord: { ...to, fields: {}, raw: company },
    }
    expect(entry).toEqual({ ...told, ...(id === one.id ? { fromRecord: from, toRecord: to } : full) })
  }
})

it('what is forged, stale, malformed or for nobody is refused and never kept', async () => {
  const { id } = await kit.install({ objects: [contacts] })
  const other = await kit.install({ objects: [contacts] })
  const hook = await kit.hookOf(id)
  const otherHook = await kit.hookOf(other.id)
  const events = [{ type: 'gone', recordId: '1', eventId: eventId() }]
  const before = await count('inbound_keys')
  expect(await kit.send({ ...hook, secret: 'guessed' }, events)).toBe(401)
  // The secret of one installation opens no other.
  expect(await kit.send({ ...hook, callback: otherHook.callback }, events)).toBe(401)
  expect(await kit.send(hook, events, { at: new Date(kit.app.clock.now().getTime() - 400_000) })).toBe(401)
  expect(await kit.send(hook, events, { at: new Date(kit.app.clock.now().getTime() + 400_000) })).toBe(401)
  expect(await kit.send(hook, [], { body: 'no JSON' })).toBe(400)
  // Not some of them: what is answered 200 is kept whole.
  const many = Array.from({ length: 5_001 }, (_, n) => ({ type: 'made', recordId: `${n}`, eventId: `many-${n}` }))
  expect(await kit.send(hook, many)).toBe(400)
  const elsewhere = (from: string, to: string) =>
    kit.send({ ...hook, callback: hook.callback.replace(from, to) }, events)
  expect(await elsewhere(id, '0190f8b2-0000-7000-8000-000000000000')).toBe(404)
  expect(await elsewhere(id, "' or 1=1 --")).toBe(404)
  expect(await elsewhere(kit.app.projectId, kit.app.otherProject.id)).toBe(404)
  expect(await elsewhere(kit.app.projectId, 'default')).toBe(404)
  expect(await elsewhere(`/installations/${id}`, '')).toBe(404)
  expect(await kit.send(hook, [], { body: JSON.stringify({ events: 'x'.repeat(1_100_000) }) })).toBe(413)
  expect(await count('inbound_keys')).toBe(before)
})

it('an event that comes again is dropped, one that is out of order is not', async () => {
  const { id } = await kit.install({ objects: [contacts] })
  const hook = await kit.hookOf(id)
  const events = Array.from({ length: 40 }, (_, n) => ({
    type: 'gone',
    recordId: `${n}`,
    eventId: eventId(),
    at: 1_700_000_000 - n,
  }))
  // A burst of single requests, each of them twice, and all of them once more in one.
  const statuses = await Promise.all([...events, ...events].map((event) => kit.send(hook, [event])))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(await kit.send(hook, [...events].reverse())).toBe(200)
  await kit.until(async () => kit.entries(id).length >= 40 && (await count('inbound_events')) === 0)
  const ids = kit.entries(id).map((entry) => entry['id'])
  expect(ids.toSorted()).toEqual(events.map(({ recordId }) => recordId).toSorted())
})

it('texts that no database holds are no way to stop events', async () => {
  const { id } = await kit.install({ objects: [{ ...contacts, otherEvents: ['ab'] }] })
  const hook = await kit.hookOf(id)
  const body = `{"events":[{"type":"a\\u0000b","recordId":"\\ud800","eventId":"${eventId()}"}]}`
  expect(await kit.send(hook, [], { body })).toBe(200)
  const [entry] = await kit.until(() => kit.entries(id).length > 0 && kit.entries(id))
  expect(entry).toMatchObject({ subscribeEventType: 'other', providerEventType: 'ab' })
})

it('uninstalling ends the registrations, and events are refused from then on', async () => {
  const { id, integration } = await kit.install({ objects: [contacts, { ...contacts, objectName: 'companies' }] })
  const hook = await kit.hookOf(id)
  await kit.hookOf(id, 'companies')
  await kit.until(async () => {
    const { rows } =
      await sql`select from registrations where installation_id = ${id} and provider_id is not null`.execute(
        kit.app.db.sql,
      )
    return rows.length === 2
  })
  kit.orders.push({ what: 'DELETE /hooks/', status: 503 })
  await kit.call('DELETE', `/integrations/${integration}/installations/${id}`)
  await kit.until(async () => {
    const { rows } = await sql`select from teardowns where attempts = 1`.execute(kit.app.db.sql)
    return rows.length === 1
  })
  kit.app.clock.advance(120_000)
  await kit.until(async () => (await count('teardowns')) === 0)
  expect([...kit.hooks.values()].filter(({ callback }) => callback.includes(id))).toEqual([])
  // What is still believed here for a moment is stored for nobody.
  await kit.until(async () => (await kit.send(hook, [{ type: 'gone', recordId: '1', eventId: eventId() }])) === 404)
  expect(kit.entries(id)).toEqual([])
})

it('uninstalling renews an access token that has ended first, and keeps what came of it while the provider is away', async () => {
  await kit.call('POST', '/provider-apps', {
    provider: 'hookCrm',
    clientId: 'client',
    clientSecret: 'secret',
    allowedHosts: [new URL(kit.providerUrl).host],
  })
  const now = kit.app.clock.now().getTime()
  const { id, integration, connectionId } = await kit.install({
    objects: [contacts],
    credential: {
      oauth2AuthorizationCode: {
        accessToken: {
          token: 'token0',
          issuedAt: new Date(now).toISOString(),
          expiresAt: new Date(now + 100_000).toISOString(),
        },
        refreshToken: { token: 'refresh0' },
      },
    },
  })
  await kit.hookOf(id)
  await idle()
  kit.app.clock.advance(120_000)
  kit.orders.push({ what: 'DELETE /hooks/', status: 503 })
  await kit.call('DELETE', `/integrations/${integration}/installations/${id}`)
  await kit.until(async () => {
    const { rows } = await sql`select from teardowns where attempts = 1`.execute(kit.app.db.sql)
    return rows.length === 1
  })
  expect(await sql`select from connections where id = ${connectionId}`.execute(kit.app.db.sql)).toMatchObject({
    rows: [],
  })
  // The second refresh token is good, the first no longer.
  kit.app.clock.advance(120_000)
  await kit.until(async () => (await count('teardowns')) === 0)
  expect(kit.endedWith.at(-1)).toBe('Bearer token2')
  expect([...kit.hooks.values()].filter(({ callback }) => callback.includes(id))).toEqual([])
})

it('a set-up that the provider refuses is told once, and makes the installation unhealthy until it works', async () => {
  const topic = await kit.call('POST', '/topics', { name: 'failures' })
  await kit.call('POST', '/notification-event-topic-routes', {
    eventType: 'subscribe.create.error',
    topicId: topic['id'],
  })
  await kit.call('POST', '/topic-destination-routes', { topicId: topic['id'], destinationId: kit.destinationId })
  kit.orders.push({ what: 'POST /hooks', status: 403 }, { what: 'POST /hooks', status: 403 })
  const { id, integration, connectionId } = await kit.install({ objects: [contacts] })
  const told = () => kit.delivered.filter(({ notificationType }) => notificationType === 'subscribe.create.error')
  await kit.until(() => told().length > 0)
  expect(told()[0]?.data).toMatchObject({ installationId: id, connectionId, integrationName: integration })
  expect(told()[0]?.data?.['error']).toMatch(/As ordered\./)
  const health = async () =>
    (await kit.call<{ healthStatus: string }>('GET', `/integrations/${integration}/installations/${id}`)).healthStatus
  await kit.until(async () => (await health()) === 'unhealthy')
  await kit.deploy(integration, [contacts])
  await kit.until(() => kit.orders.length === 0)
  await idle()
  await kit.deploy(integration, [contacts])
  await kit.hookOf(id)
  await kit.until(async () => (await health()) === 'healthy')
  expect(told()).toHaveLength(1)
})

it('registrations are replaced when the events change, and go with the last object', async () => {
  const { id, integration } = await kit.install({ objects: [contacts] })
  const first = await kit.hookOf(id)
  await kit.deploy(integration, [{ ...contacts, deleteEvent: undefined }])
  const mine = () => [...kit.hooks.values()].filter(({ callback }) => callback.includes(id))
  await kit.until(() => mine().length === 1 && mine()[0]?.id !== first.id)
  expect(mine()[0]?.events).toEqual(['changed', 'made'])
  await kit.deploy(integration, [{ ...contacts, objectName: 'companies' }])
  await kit.until(() => mine().length === 1 && mine()[0]?.object === 'companies')
})

it('installations that are older than what they subscribe to are registered at the next deploy, and only once', async () => {
  const { id, integration } = await kit.install({ objects: [] })
  await kit.deploy(integration, [contacts])
  const first = await kit.hookOf(id)
  await idle()
  // As where the release, or the provider's file, did not know webhooks when the manifest was deployed.
  await sql`delete from subscriptions where installation_id = ${id}`.execute(kit.app.db.sql)
  await kit.deploy(integration, [contacts])
  const mine = () => [...kit.hooks.values()].filter(({ callback }) => callback.includes(id))
  await kit.until(() => mine().length === 2)
  await idle()
  const asked = kit.asked.length
  await kit.deploy(integration, [contacts])
  await idle()
  expect(mine().filter((hook) => hook.id !== first.id)).toHaveLength(1)
  expect(kit.asked.length).toBe(asked)
})

it('a registration that ends is renewed when four fifths of its life are over', async () => {
  kit.setExpires(new Date(kit.app.clock.now().getTime() + 1_000_000))
  const { id } = await kit.install({ objects: [contacts] })
  const hook = await kit.hookOf(id)
  const renewals = () => kit.asked.filter((what) => what === `POST /hooks/${hook.id}/renew`).length
  await kit.until(async () => {
    const { rows } = await sql`
      select from subscriptions where installation_id = ${id} and next_time > now() + interval '10 minutes'`.execute(
      kit.app.db.sql,
    )
    return rows.length === 1
  })
  expect(renewals()).toBe(0)
  kit.setExpires(new Date(kit.app.clock.now().getTime() + 100_000_000))
  kit.app.clock.advance(900_000)
  await kit.until(() => renewals() === 1)
})

it('what is registered by places is so in each, except where it is refused; places are asked for again every day', async () => {
  kit.spaces.push({ id: 'a', mine: true }, { id: 'b', mine: true }, { id: 'theirs', mine: false })
  kit.orders.push({ what: 'POST /hooks', status: 403 })
  const { id } = await kit.install({ objects: [contacts], provider: 'hookSpaces' })
  const mine = () => [...kit.hooks.values()].filter(({ callback }) => callback.includes(id))
  const isSettled = async () => {
    const half = new Date(kit.app.clock.now().getTime() + 12 * 3_600_000)
    const { rows } = await sql`
      select from subscriptions where installation_id = ${id} and error is null and next_time > ${half}`.execute(
      kit.app.db.sql,
    )
    return rows.length === 1
  }
  await kit.until(isSettled)
  expect(mine().map(({ space }) => space)).toEqual(['b'])
  const event = { type: 'gone', recordId: '1', eventId: eventId() }
  for (const hook of mine()) expect(await kit.send(hook, [event])).toBe(200)
  await kit.until(() => kit.entries(id).length === 1)

  kit.spaces.splice(0, 2, { id: 'a', mine: true }, { id: 'c', mine: true })
  kit.app.clock.advance(24 * 3_600_000)
  await kit.until(() => mine().length === 2 && mine().every(({ space }) => space !== 'b'))
  expect(mine().map(({ space }) => space)).toEqual(['a', 'c'])
  expect(kit.asked.some((what) => /^DELETE \/hooks\/\w+\?space=b$/.test(what))).toBe(true)
})

it('one URL of an app serves all accounts: each event goes to the installations of its account', async () => {
  await kit.call('POST', '/provider-apps', {
    provider: 'hookApp',
    clientId: 'client',
    clientSecret: 'secret',
    metadata: { providerParams: { signingSecret: 'signing' } },
  })
  const objects = [{ ...contacts, updateEvent: undefined, deleteEvent: undefined }]
  const shared = { provider: 'hookApp', integration: 'shared', objects }
  const one = await kit.install({ ...shared, workspace: 'acme' })
  const two = await kit.install({ ...shared, workspace: 'globex' })
  await kit.until(async () => {
    const { rows } =
      await sql`select from subscriptions where account in ('acme', 'globex') and next_time is null`.execute(
        kit.app.db.sql,
      )
    return rows.length === 2
  })
  const hello = { type: 'hello', challenge: '<b>c</b>' }
  expect(await kit.sendToApp('shared', hello, 'signing')).toMatchObject({
    status: 200,
    text: '<b>c</b>',
    type: 'text/plain; charset=utf-8',
  })
  expect(await kit.sendToApp('shared', hello, 'secret')).toMatchObject({ status: 401 })
  const made = (account: string) => ({
    type: 'made',
    account,
    recordId: account,
    record: { id: account, email: account },
  })
  for (const account of ['acme', 'globex', 'initech', 'acme'])
    expect(await kit.sendToApp(one.integrationId, made(account), 'signing')).toMatchObject({ status: 200, text: '' })
  await kit.until(() => kit.entries(one.id).length > 0 && kit.entries(two.id).length > 0)
  await kit.until(async () => (await count('inbound_events')) === 0)
  expect(kit.entries(one.id)).toMatchObject([{ fields: { email: 'acme' } }])
  expect(kit.entries(two.id)).toMatchObject([{ fields: { email: 'globex' } }])
})

it('an account that signs with a key of its own is believed for its own installation, and for no other', async () => {
  const keys = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = ({ publicKey }: ReturnType<typeof keys>) => publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const [acme, globex] = [keys(), keys()]
  const objects = [{ ...contacts, updateEvent: undefined, deleteEvent: undefined }]
  const shared = { provider: 'hookToken', integration: 'signed', objects }
  const one = await kit.install({ ...shared, metadata: { publicKey: pem(acme) } })
  const two = await kit.install({ ...shared })
  const made = (id: string) => ({ record: { id, email: `${id}@x.test` } })
  const key = acme.privateKey
  expect(await kit.sendSigned(one, made('1'), { key })).toBe(200)
  expect(await kit.sendSigned(one, made('1'), { key })).toBe(200)
  // A genuine event of the one is not to be played to the other; nor is a key good for others than the account that
  // gave it.
  expect(await kit.sendSigned(two, made('2'), { key, signedFor: one.id })).toBe(401)
  expect(await kit.sendSigned(two, made('2'), { key })).toBe(401)
  expect(await kit.sendSigned(one, made('2'), { key: globex.privateKey })).toBe(401)
  // A key that is given later counts as soon as it is there.
  const providerMetadata = { url: kit.providerUrl, publicKey: pem(globex) }
  await kit.call('PATCH', `/connections/${two.connectionId}`, {
    updateMask: ['providerMetadata'],
    connection: { providerMetadata },
  })
  await kit.until(async () => (await kit.sendSigned(two, made('3'), { key: globex.privateKey })) === 200)
  await kit.until(() => kit.entries(one.id).length > 0 && kit.entries(two.id).length > 0)
  await kit.until(async () => (await count('inbound_events')) === 0)
  expect(kit.entries(one.id)).toMatchObject([
    { id: '1', fields: { email: '1@x.test' }, subscribeEventType: 'create', providerEventType: 'contact.made' },
  ])
  expect(kit.entries(two.id)).toMatchObject([{ id: '3' }])
})

it('a secret that the provider makes is kept unsigned, shown to who manages the app, and believed only from there', async () => {
  const { id: appId } = await kit.call('POST', '/provider-apps', {
    provider: 'hookApp',
    clientId: 'other',
    clientSecret: 'secret',
  })
  await kit.deploy('offered', [{ ...contacts, updateEvent: undefined, deleteEvent: undefined }], 'hookApp')
  const shown = async (apiKey = kit.app.apiKey) => {
    type Listed = { id: string; webhookUrls?: { integrationName: string; offeredSecret?: string }[] }[]
    const { body } = await kit.app.call<Listed>('GET', '/projects/default/provider-apps', undefined, { apiKey })
    const urls = body.find(({ id }) => id === appId)?.webhookUrls ?? []
    return urls.find(({ integrationName }) => integrationName === 'offered')?.offeredSecret
  }
  expect(await shown()).toBeUndefined()
  expect(await kit.sendToApp('offered', { token: 'theirs-1' }, 'nobody')).toMatchObject({ status: 200, text: '' })
  expect(await shown()).toBe('theirs-1')
  const { key } = await kit.call('POST', '/api-keys', { label: 'page', scopes: ['frontend'] })
  expect(await shown(key)).toBeUndefined()
  // It signs nothing before it stands in the app.
  const event = { type: 'made', account: 'nobody', recordId: '1' }
  expect(await kit.sendToApp('offered', event, 'theirs-1')).toMatchObject({ status: 401 })
  const { db } = kit.app
  const age = (interval: string) =>
    sql`update offered_secrets set create_time = now() - ${interval}::interval`.execute(db.sql)
  await age('2 seconds')
  expect(await kit.sendToApp('offered', { token: 'theirs-2' }, 'nobody')).toMatchObject({ status: 200 })
  expect(await kit.sendToApp('offered', { token: 'flood' }, 'nobody')).toMatchObject({ status: 200 })
  expect(await shown()).toBe('theirs-2')
  for (const payload of [{ token: '' }, { token: 'x'.repeat(2_000) }, { token: {} }, { other: 1 }])
    expect(await kit.sendToApp('offered', payload, 'nobody')).toMatchObject({ status: 401 })
  expect(await kit.sendToApp('nothing', { token: 'x' }, 'nobody')).toMatchObject({ status: 404 })
  const metadata = { providerParams: { signingSecret: 'theirs-2' } }
  await kit.call('PATCH', `/provider-apps/${appId}`, { updateMask: ['metadata'], providerApp: { metadata } })
  kit.app.clock.advance(1)
  await kit.until(async () => (await kit.sendToApp('offered', event, 'theirs-2')).status === 200)
  const { rows } = await sql<{ row: string }>`select o::text as row from offered_secrets o`.execute(db.sql)
  expect(rows.some(({ row }) => row.includes('theirs'))).toBe(false)
  expect(kit.app.logs.some((line) => line.includes('theirs'))).toBe(false)
  await age('25 hours')
  expect(await shown()).toBeUndefined()
})

it('what tells an event that comes again is forgotten after its days', async () => {
  const { id } = await kit.install({ objects: [contacts] })
  const hook = await kit.hookOf(id)
  const event = { type: 'gone', recordId: '1', eventId: eventId() }
  const { services } = kit.app.app
  const keys = async () => {
    const { rows } = await sql`select from inbound_keys where stream_id = ${id}`.execute(kit.app.db.sql)
    return rows.length
  }
  expect(await kit.send(hook, [event])).toBe(200)
  const days = (n: number) => new Date(services.now().getTime() + n * 86_400_000)
  const at = (n: number) => {
    const [tick] = subscribingTicks({ ...services, now: () => days(n) }).filter(
      ({ name }) => name === 'subscribing.forget',
    )
    return tick?.run(new AbortController().signal)
  }
  await at(2.9)
  expect(await keys()).toBe(1)
  await at(3.1)
  expect(await keys()).toBe(0)
})

it('no secret is told: neither in rows nor in logs', async () => {
  const { id } = await kit.install({ objects: [contacts] })
  const { secret } = await kit.hookOf(id)
  const { rows } = await sql<{ row: string }>`
    select r::text as row from registrations r union all select t::text from teardowns t
    union all select data::text from mortise_jobs.job`.execute(kit.app.testDatabase.database.system)
  expect(rows.some(({ row }) => row.includes(secret))).toBe(false)
  expect(kit.app.logs.some((line) => line.includes(secret))).toBe(false)
})

it('events for a destination that is disabled wait as messages, and are delivered once it is enabled', async () => {
  await kit.call('POST', '/destinations', { name: 'resting', type: 'webhook', metadata: { url: kit.receiverUrl } })
  const { id } = await kit.install({ objects: [{ ...contacts, destination: 'resting' }] })
  const hook = await kit.hookOf(id)
  await kit.call('POST', '/destinations/resting:disable')
  const record = { id: '5', email: 'e@x.test', Phone: '5' }
  expect(await kit.send(hook, [{ type: 'made', recordId: '5', eventId: eventId(), record }])).toBe(200)
  const held = await kit.until(async () => {
    const messages = await kit.call<{ state: string }[]>('GET', '/messages?destination=resting&state=pending')
    return messages.length > 0 && messages
  })
  expect(held).toHaveLength(1)
  expect(kit.entries(id)).toEqual([])
  await kit.call('POST', '/destinations/resting:enable')
  const [entry] = await kit.until(() => kit.entries(id).length > 0 && kit.entries(id))
  expect(entry).toMatchObject({ id: '5', fields: { email: 'e@x.test' } })
})
