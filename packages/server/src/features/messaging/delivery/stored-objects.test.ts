import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// biome-ignore lint/style/noRestrictedImports: the store that the tests of the kind use.
import { startObjectStore } from '../kinds/s3/object-store.testkit.ts'
import { type RecordsKit, startRecordsKit } from './records.testkit.ts'

/** A store of objects as destination of a service. `kinds/stored-messages.test.ts` tests each store on its own. */

let kit: RecordsKit
let store: Awaited<ReturnType<typeof startObjectStore>>
let secret: string
let destination: { id: string; name: string }

beforeAll(async () => {
  kit = await startRecordsKit()
  store = await startObjectStore()
  const name = 'crm-bucket'
  const made = await kit.app.call<{ id: string }>('POST', `${kit.base}/destinations`, { name, ...store.given })
  expect(made.status).toBe(201)
  destination = { id: made.body.id, name }
  const { body } = await kit.app.call<{ secrets: { webhookSigningKey: string } }>(
    'GET',
    `${kit.base}/destinations/${destination.id}?includeSecrets=true`,
  )
  secret = body.secrets.webhookSigningKey
})
afterAll(async () => {
  await store?.stop()
  await kit?.stop()
})

/** What was stored by the deliveries that are due. */
async function delivered() {
  await kit.deliver(destination.id)
  return store.take()
}

const states = async () =>
  (
    await sql<{ state: string; failure: string | null }>`
      select state, failure from messages where destination_name = ${destination.name} order by id desc limit 1`.execute(
      kit.app.db.sql,
    )
  ).rows[0]

const connectionOf = async (installation: string) =>
  (
    await kit.app.db.sql
      .selectFrom('installations')
      .select('connection_id')
      .where('id', '=', installation)
      .executeTakeFirstOrThrow()
  ).connection_id

const byUrl = { resultInfo: { type: 'url', numRecords: 1, downloadUrl: '' } }

describe('an object', () => {
  it('contains records that were too large for a message, and names their connection', async () => {
    const acme = await kit.install('acme')
    const records = [{ id: '1', fields: { text: 'é'.repeat(500_000) } }]
    const { payload } = kit.message(acme, undefined, byUrl)
    await kit.post(destination.name, { kind: 'read', payload, result: Buffer.from(JSON.stringify(records)) })
    const [object] = await delivered()
    const { result, resultInfo } = JSON.parse(object?.body ?? '') as Record<string, unknown>
    expect([result, resultInfo]).toEqual([records, { type: 'inline', numRecords: 1 }])
    expect(object?.body).not.toContain('downloadUrl')
    expect(() => new Webhook(secret).verify(object?.body ?? '', object?.metadata ?? {})).not.toThrow()
    expect(object?.metadata).toMatchObject({ installationid: acme.id, connectionid: await connectionOf(acme.id) })
    expect(await states()).toEqual({ state: 'delivered', failure: null })
  })

  it('is not delivered without its records: the message is a dead letter', async () => {
    const payload = Buffer.from(JSON.stringify({ action: 'read', ...byUrl }))
    store.fill(true)
    await kit.post(destination.name, { kind: 'read', payload, result: Buffer.from('[{"id":"1"}]') })
    expect(await delivered()).toEqual([])
    store.fill(false)
    await sql`delete from message_results`.execute(kit.app.db.sql)
    await sql`update messages set next_attempt_at = now() where state = 'pending'`.execute(kit.app.db.sql)
    expect(await delivered()).toEqual([])
    expect(await states()).toEqual({ state: 'failed', failure: 'refused' })
  })

  it('of a notification contains its data. Its metadata name the event and the topic', async () => {
    const { call } = kit.app
    const topic = async (name: string, destinationId: string) => {
      const made = await call<{ id: string }>('POST', `${kit.base}/topics`, { name })
      const topicId = made.body.id
      const eventType = 'connection.error'
      await call('POST', `${kit.base}/notification-event-topic-routes`, { eventType, topicId })
      const routed = await call('POST', `${kit.base}/topic-destination-routes`, { topicId, destinationId })
      expect(routed.status).toBe(201)
    }
    const metadata = { destinations: [destination.name] }
    const fanOut = await call<{ id: string }>('POST', `${kit.base}/destinations`, {
      ...{ name: 'all-buckets', type: 'fan-out', metadata },
    })
    expect(fanOut.status).toBe(201)
    const data = { connectionId: 'c-1', groupRef: 'acme', error: 'refused' }
    const notify = async () => {
      const payload = Buffer.from(JSON.stringify({ notificationType: 'connection.error', data }))
      await kit.post(destination.name, { kind: 'notification', eventType: 'connection.error', payload })
      return (await delivered())[0]
    }
    const unrouted = await notify()
    expect(unrouted?.metadata).not.toHaveProperty('topic')
    await topic('by-fan-out', fanOut.body.id)
    expect((await notify())?.metadata).toMatchObject({ topic: 'by-fan-out' })
    await topic('errors', destination.id)
    await topic('failures', destination.id)
    const object = await notify()
    expect(object?.body).toBe(JSON.stringify(data))
    expect(object?.metadata).toMatchObject({
      ...{ connectionid: 'c-1', notificationtype: 'connection.error', topic: 'errors' },
    })
    expect(new Webhook(secret).verify(object?.body ?? '', object?.metadata ?? {})).toEqual(data)
  })
})

it('a webhook with {{connectionId}} in its path gets each message at the path of its connection', async () => {
  const paths: string[] = []
  const receiver = createServer((request, response) => {
    paths.push(request.url ?? '')
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/{{groupRef}}/{{connectionId}}`
  const name = 'by-connection'
  const made = await kit.app.call<{ id: string }>('POST', `${kit.base}/destinations`, {
    ...{ name, type: 'webhook', metadata: { url } },
  })
  const [globex, initech] = [await kit.install('globex'), await kit.install('initech')]
  for (const from of [globex, initech]) await kit.post(name, kit.message(from, []))
  await kit.deliver(made.body.id)
  const connections = [await connectionOf(globex.id), await connectionOf(initech.id)]
  expect(paths.toSorted()).toEqual([`/globex/${connections[0]}`, `/initech/${connections[1]}`])
  receiver.close()
})
