import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
// biome-ignore lint/style/noRestrictedImports: the database that the tests of the kind use.
import { type PostgresTarget, startPostgresTarget } from '../kinds/postgres/conformance.testkit.ts'
import { claimMessages } from '../messages/index.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'

let rig: DeliveryRig
let target: PostgresTarget
let receiver: WebhookReceiver
let status = 500
let onRequest: () => Promise<void> = async () => undefined
const seen: string[] = []
let destination: { id: string; name: string }
let metadata: Record<string, unknown>
beforeAll(async () => {
  rig = await startDeliveryRig()
  target = await startPostgresTarget()
  receiver = await startWebhookReceiver({
    respond: async ({ id = '' }) => {
      seen.push(id)
      await onRequest()
      return { status }
    },
  })
  const { url, schema } = target.settings as { url: string; schema: string }
  metadata = { url, schema }
})
afterAll(async () => {
  await receiver?.close()
  await target?.stop()
  await rig?.app.stop()
})
beforeEach(async () => {
  status = 500
  onRequest = async () => undefined
  seen.length = 0
  await target.query('delete from _mortise_messages')
  destination = await rig.create(receiver.url)
})

interface Found {
  id: string
  name: string
  type: string
  status: string
  endpoint: string
}
const path = () => `/projects/default/destinations/${destination.id}`
const patch = (updateMask: string[], changed: object) =>
  rig.app.call<Found & { issues?: { name: string; detail: string }[] }>('PATCH', path(), {
    updateMask,
    destination: changed,
  })
const whole = ['type', 'metadata', 'secrets']
const toPostgres = () => patch(whole, { type: 'postgres', metadata, secrets: {} })
const stored = async () => (await target.received()).map(({ id }) => id)
const ids = async () => (await rig.messages(destination.name)).map(({ id }) => id)

it('what waits goes to the new kind, and the destination keeps its id, name and secret', async () => {
  await rig.post(destination.name, { text: 'tried' })
  await rig.deliver(destination.id)
  await rig.app.call('POST', `${path()}:disable`)
  await rig.post(destination.name, { text: 'waits' })
  const secret = async () =>
    (await rig.app.call<{ secrets: object }>('GET', `${path()}?includeSecrets=true`)).body.secrets
  const before = await secret()
  const changed = await toPostgres()
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  expect(changed.body).toMatchObject({ id: destination.id, name: destination.name, type: 'postgres', status: 'active' })
  expect(changed.body).not.toHaveProperty('failureCount')
  expect(await secret()).toEqual(before)
  await rig.pass(destination.id, 60_000)
  await rig.deliver(destination.id)
  expect(await stored()).toEqual(await ids())
  expect(seen).toHaveLength(1)
  const log = await rig.app.call<object[]>('GET', `/projects/default/audit-log?resourceId=${destination.id}`)
  expect(log.body[0]).toMatchObject({ before: { type: 'webhook' }, after: { type: 'postgres' } })
})

it('an attempt of the former kind that is under way ends, and says nothing about the new kind', async () => {
  status = 410
  onRequest = async () => {
    expect((await toPostgres()).status).toBe(200)
  }
  await rig.post(destination.name, { text: 'under way' })
  await rig.deliver(destination.id)
  expect(seen).toHaveLength(1)
  expect(await rig.destination(destination.id)).toMatchObject({ disabled: false, failures: 0 })
  await rig.pass(destination.id, 60_000)
  await rig.deliver(destination.id)
  expect(await stored()).toEqual(await ids())
})

it('a worker that died with messages of the former kind loses none of them', async () => {
  await rig.post(destination.name, { text: 'one' }, { text: 'two' })
  const claim = { destinationId: destination.id, token: newId(), limit: 10, bytesMax: 1e6, leaseSeconds: 15 }
  expect(await claimMessages(rig.app.db, claim)).toHaveLength(2)
  expect((await toPostgres()).status).toBe(200)
  await rig.deliver(destination.id)
  expect(await stored()).toEqual([])
  await rig.pass(destination.id, 20_000)
  await rig.deliver(destination.id)
  expect(await stored()).toEqual(await ids())
  expect(seen).toEqual([])
})

it('a change back keeps nothing of the kind between', async () => {
  await toPostgres()
  const back = await patch([...whole, 'name'], {
    name: `${destination.name}-again`,
    type: 'webhook',
    metadata: { url: receiver.url },
    secrets: {},
  })
  expect(back.body).toMatchObject({ type: 'webhook', name: `${destination.name}-again` })
  const { body } = await rig.app.call<{ metadata: object }>('GET', `${path()}?includeSecrets=true`)
  expect(body.metadata).toEqual({ url: receiver.url })
})

it('is refused with all that is wrong, and changes nothing', async () => {
  const cases: [string[], object, string[]][] = [
    [['type'], { type: 'postgres' }, ['updateMask']],
    // As clients that deploy a file list it.
    [['name', 'type', 'metadata'], { name: 'x', type: 'postgres', metadata }, ['updateMask']],
    [whole, { type: 'postgres', metadata: {}, secrets: {} }, ['destination.metadata.url']],
    [whole, { type: 'postgres', secrets: {} }, ['destination.metadata']],
    [whole, { type: 'pigeon', metadata, secrets: {} }, ['destination.type']],
    [whole, { type: 'nonsense', metadata, secrets: {} }, ['destination.type']],
    [[...whole, 'metadata.url'], { type: 'postgres', metadata, secrets: {} }, ['updateMask[3]']],
    [[...whole, 'name'], { name: '?', type: 'postgres', metadata, secrets: {} }, ['destination.name']],
    [
      whole,
      { type: 's3', metadata: { bucket: 'crm', region: 'eu-central-1' }, secrets: {} },
      ['destination.secrets.awsKeyId', 'destination.secrets.awsSecretKey'],
    ],
  ]
  for (const [updateMask, changed, names] of cases) {
    const { status, body } = await patch(updateMask, changed)
    expect([status, body.issues?.map(({ name }) => name)], JSON.stringify(changed)).toEqual([400, names])
  }
  expect((await rig.app.call<Found>('GET', path())).body).toMatchObject({ type: 'webhook', name: destination.name })
})

it('to the same type is an update', async () => {
  const metadata = { url: `${receiver.url}/other` }
  for (const [mask, secrets] of [
    [whole, { secrets: {} }],
    [['type', 'metadata'], {}],
  ] as const) {
    const { status, body } = await patch([...mask], { type: 'webhook', metadata, ...secrets })
    expect([status, body.issues]).toEqual([200, undefined])
  }
})
