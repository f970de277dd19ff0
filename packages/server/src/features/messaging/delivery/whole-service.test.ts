import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { postMessages } from '../messages/index.ts'

let app: TestApp
const receivers: WebhookReceiver[] = []
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()))
  await app?.stop()
})

async function pair(name: string, respond?: () => Promise<{ status: number }>) {
  const receiver = await startWebhookReceiver({ ...(respond && { respond }) })
  receivers.push(receiver)
  const made = await app.call<{ id: string }>('POST', '/projects/default/destinations', {
    name,
    type: 'webhook',
    metadata: { url: receiver.url },
  })
  const found = await app.call<{ secrets: { webhookSigningKey: string } }>(
    'GET',
    `/projects/default/destinations/${name}?includeSecrets=true`,
  )
  receiver.setSecret(found.body.secrets.webhookSigningKey)
  return { receiver, id: made.body.id }
}

const post = (destinationName: string, count: number) =>
  app.db.transaction((tx) =>
    postMessages(
      tx,
      app.app.services,
      Array.from({ length: count }, (_, n) => ({
        destinationName,
        kind: 'read' as const,
        payload: Buffer.from(`{"n":${n}}`),
      })),
    ),
  )

it('delivers what is posted, as soon as it is committed', async () => {
  const { receiver } = await pair('prompt')
  await post('prompt', 250)
  expect(await receiver.waitFor(({ verified }) => verified === 250)).toMatchObject({ refused: 0, requests: 250 })
})

it('delivers nothing of a transaction that is rolled back', async () => {
  const { receiver } = await pair('rollback')
  const undone = app.db.transaction(async (tx) => {
    await postMessages(tx, app.app.services, [
      { destinationName: 'rollback', kind: 'read', payload: Buffer.from('{"n":"undone"}') },
    ])
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await post('rollback', 1)
  await receiver.waitFor(({ verified }) => verified === 1)
  expect(receiver.counters().requests).toBe(1)
})

it('delivers to all others while some destinations hang', async () => {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const hanging = await Promise.all(
    Array.from({ length: 5 }, (_, n) =>
      pair(`hanging-${n}`, async () => {
        await held
        return { status: 204 }
      }),
    ),
  )
  const healthy = await Promise.all(Array.from({ length: 5 }, (_, n) => pair(`healthy-${n}`)))
  for (let n = 0; n < 5; n++) await post(`hanging-${n}`, 40)
  for (let n = 0; n < 5; n++) await post(`healthy-${n}`, 40)
  await Promise.all(healthy.map(({ receiver }) => receiver.waitFor(({ verified }) => verified === 40)))
  for (const { receiver } of hanging) {
    expect(receiver.counters().requests).toBeLessThanOrEqual(16)
    expect(receiver.counters().failed).toBe(0)
  }
  release()
  await Promise.all(
    hanging.map(({ receiver }) => receiver.waitFor(({ requests, failed }) => requests === 40 && failed === 0)),
  )
})

it('delivers to a destination while more hang than there are places for', async () => {
  const held = Promise.withResolvers<void>()
  const silent = await Promise.all(
    Array.from({ length: 4 }, () =>
      startWebhookReceiver({
        respond: async () => {
          await held.promise
          return { status: 204 }
        },
      }),
    ),
  )
  receivers.push(...silent)
  const asked = () => silent.reduce((sum, { counters }) => sum + counters().requests, 0)
  const names = Array.from({ length: 80 }, (_, n) => `silent-${n}`)
  for (const [n, name] of names.entries()) {
    const body = { name, type: 'webhook', metadata: { url: silent[n % silent.length]?.url } }
    await app.call('POST', '/projects/default/destinations', body)
  }
  const { receiver } = await pair('among-silent')
  await app.db.transaction((tx) =>
    postMessages(
      tx,
      app.app.services,
      names.map((destinationName) => ({ destinationName, kind: 'read' as const, payload: Buffer.from('{}') })),
    ),
  )
  await vi.waitFor(() => expect(asked()).toBeGreaterThanOrEqual(64), { timeout: 30_000 })
  await post('among-silent', 20)
  await receiver.waitFor(({ verified }) => verified === 20, 20_000)
  await vi.waitFor(() => expect(asked()).toBe(80), { timeout: 30_000 })
  // Not one of them has ended, by an answer or by its deadline.
  const ended = await app.db.sql
    .selectFrom('attempts')
    .innerJoin('destinations', 'destinations.id', 'attempts.destination_id')
    .select('status')
    .where('destinations.name', 'in', names)
    .execute()
  expect(ended).toEqual([])
  held.resolve()
  const delivered = () =>
    app.db.sql
      .selectFrom('messages')
      .select('id')
      .where('destination_name', 'in', names)
      .where('state', '=', 'delivered')
      .execute()
  await vi.waitFor(async () => expect(await delivered()).toHaveLength(80), { timeout: 30_000 })
}, 120_000)

it('delivers what was held for a destination that comes to exist, without being asked', async () => {
  await post('late', 3)
  const { receiver } = await pair('late')
  // Some may have come before the receiver knew the secret: it took those as they were.
  expect(await receiver.waitFor(({ requests }) => requests === 3)).toMatchObject({ failed: 0, malformed: 0 })
})

it('finds by itself what becomes due', async () => {
  let status = 503
  const { receiver, id } = await pair('again', async () => ({ status }))
  await post('again', 1)
  await receiver.waitFor(({ failed }) => failed === 1)
  const attempts = () =>
    app.db.sql.selectFrom('attempts').select('status').where('destination_id', '=', id).orderBy('number').execute()
  await expect.poll(attempts, { timeout: 30_000 }).toEqual([{ status: 503 }])
  status = 204
  // The first wait is over.
  await app.db.sql
    .updateTable('messages')
    .set({ next_attempt_at: new Date(0) })
    .where('destination_id', '=', id)
    .execute()
  await receiver.waitFor(({ requests, failed }) => requests === 2 && failed === 1)
  await expect.poll(attempts, { timeout: 30_000 }).toEqual([{ status: 503 }, { status: 204 }])
})
