import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { encryptStoredDestinations, openMetadata } from './destination-metadata.ts'
import { findDestinationByName } from './store.ts'

/**
 * URLs and headers of destinations are credentials: encrypted in the database, masked in answers, whole only on
 * request.
 */

const url = 'https://203.0.114.5/services/T0001AB23/vXb83hKq9LmZ?token=kLq82nVx'
const shownUrl = 'https://203.0.114.5/services/***/***?token=***'
const headers = { Authorization: 'Bearer 7fGh29sKq', 'X-Team': 'growth' }
const shownHeaders = { Authorization: '***', 'X-Team': '***' }
const secrets = ['T0001AB23', 'vXb83hKq9LmZ', 'kLq82nVx', '7fGh29sKq']
const base = '/projects/default/destinations'

interface Found {
  id: string
  metadata: { url: string; headers?: Record<string, string> }
}
interface Problem {
  issues?: { name: string; detail: string; value?: unknown }[]
}

let app: TestApp
let count = 0
beforeAll(async () => {
  app = await startTestApp({ logLevel: 'trace' })
})
afterAll(() => app?.stop())

async function create() {
  const name = `masked-${count++}`
  const made = await app.call<Found>('POST', base, { name, type: 'webhook', metadata: { url, headers } })
  expect(made.status).toBe(201)
  return { name, made: made.body }
}
const whole = async (name: string) =>
  (await app.call<Found>('GET', `${base}/${name}?includeSecrets=true`)).body.metadata
const patch = (name: string, updateMask: string[], metadata: object) =>
  app.call<Found & Problem>('PATCH', `${base}/${name}`, { updateMask, destination: { metadata } })

test('every answer masks URL and headers, but the one that is asked for secrets', async () => {
  const { name, made } = await create()
  const shown = { url: shownUrl, headers: shownHeaders }
  const list = await app.call<(Found & { name: string })[]>('GET', base)
  const answers = [
    made,
    list.body.find((one) => one.name === name),
    (await app.call<Found>('GET', `${base}/${name}`)).body,
    (await app.call<Found>('GET', `${base}/${name}?rotate=true`)).body,
    (await app.call<Found>('POST', `${base}/${name}:disable`)).body,
    (await app.call<Found>('POST', `${base}/${name}:enable`)).body,
    (await patch(name, ['metadata.headers'], { headers })).body,
  ]
  for (const answer of answers) expect(answer?.metadata).toEqual(shown)
  expect(await whole(name)).toEqual({ url, headers })
})

test('neither the database nor the log holds them', async () => {
  const { made } = await create()
  const { rows } = await sql<{ text: string }>`
    select row_to_json(d)::text as text from destinations d where id = ${made.id}`.execute(app.db.sql)
  for (const secret of secrets) {
    expect(rows[0]?.text).not.toContain(secret)
    expect(app.logs.join('\n')).not.toContain(secret)
  }
})

test('the event of a disabled destination masks its URL', async () => {
  const { name, made } = await create()
  const watcher = await create()
  const topic = await app.call<{ id: string }>('POST', '/projects/default/topics', { name: `topic-${count}` })
  const eventType = 'destination.webhook.disabled'
  const eventRoute = { eventType, topicId: topic.body.id }
  expect((await app.call('POST', '/projects/default/notification-event-topic-routes', eventRoute)).status).toBe(201)
  const route = { topicId: topic.body.id, destinationId: watcher.made.id }
  expect((await app.call('POST', '/projects/default/topic-destination-routes', route)).status).toBe(201)
  await app.call('POST', `${base}/${name}:disable`)
  const { rows } = await sql<{ payload: Buffer }>`
    select payload from messages where destination_name = ${watcher.name}`.execute(app.db.sql)
  expect(rows.map(({ payload }) => JSON.parse(payload.toString()).data)).toMatchObject([
    { destinationId: made.id, url: shownUrl },
  ])
})

test('an answer that is sent back as it came changes nothing', async () => {
  const { name, made } = await create()
  expect((await patch(name, ['metadata'], made.metadata)).status).toBe(200)
  expect(await whole(name)).toEqual({ url, headers })
  const added = { headers: { ...made.metadata.headers, 'X-New': 'new' } }
  expect((await patch(name, ['metadata.headers'], added)).status).toBe(200)
  expect(await whole(name)).toEqual({ url, headers: { ...headers, 'X-New': 'new' } })
})

test('a mask that stands for no stored value is refused and says what to do', async () => {
  const { name } = await create()
  const metadata = { url: 'https://203.0.114.6/services/***', headers: { 'X-Other': '***' } }
  const patched = await patch(name, ['metadata'], metadata)
  expect(patched.status).toBe(400)
  expect(patched.body.issues?.map((issue) => issue.name)).toEqual([
    'destination.metadata.url',
    'destination.metadata.headers.X-Other',
  ])
  const created = await app.call<Problem>('POST', base, { name: 'never', type: 'webhook', metadata })
  expect(created.status).toBe(400)
  expect(created.body.issues?.map((issue) => issue.name)).toEqual(['metadata.url', 'metadata.headers.X-Other'])
  expect(await whole(name)).toEqual({ url, headers })
})

test('a URL that is refused is not echoed whole', async () => {
  const metadata = { url: 'http://169.254.169.254/hook?token=kLq82nVx' }
  const { status, body } = await app.call<Problem>('POST', base, { name: 'never', type: 'webhook', metadata })
  expect(status).toBe(400)
  expect(JSON.stringify(body)).toContain('169.254.169.254')
  expect(JSON.stringify(body)).not.toContain('kLq82nVx')
})

test('what an earlier release stored in plain text stays usable, and is encrypted by the next start', async () => {
  const names = await Promise.all([1, 2, 3].map(async () => (await create()).name))
  const plain = { url: `${url}&old=1`, headers }
  await sql`update destinations set metadata = ${JSON.stringify(plain)}::jsonb, encrypted_metadata = null
    where name = any(${names})`.execute(app.db.sql)
  expect(await whole(names[0]!)).toEqual(plain)
  const { rows: before } = await sql`select xmin::text, id from destinations where metadata = '{}'`.execute(app.db.sql)

  // Two nodes start at the same moment.
  await Promise.all([encryptStoredDestinations(app.app.services), encryptStoredDestinations(app.app.services)])
  for (const name of names) {
    const row = await findDestinationByName(app.db, name)
    expect(row).toMatchObject({ metadata: {}, encrypted_metadata: expect.stringMatching(/^v1\./) })
    expect(openMetadata(app.keyring, row!)).toEqual(plain)
    expect(await whole(name)).toEqual(plain)
  }
  const { rows: after } = await sql`
    select xmin::text, id from destinations where name <> all(${names}) and metadata = '{}'`.execute(app.db.sql)
  expect(after).toEqual(before)
})
