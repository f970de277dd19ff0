import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { postMessages } from '../messages/index.ts'

/** What is due is decided by the clock of the database, whatever the nodes take for the present. */

const hourMs = 3_600_000
let app: TestApp
let other: TestApp
const receivers: WebhookReceiver[] = []
beforeAll(async () => {
  app = await startTestApp()
  other = await startTestNode(app)
  app.clock.advance(hourMs)
  other.clock.advance(-hourMs)
})
afterAll(async () => {
  await other?.stop()
  await app?.stop()
  await Promise.all(receivers.map((receiver) => receiver.close()))
})

async function destination(name: string, status: number) {
  const receiver = await startWebhookReceiver({ respond: () => ({ status }) })
  receivers.push(receiver)
  const metadata = { url: receiver.url }
  await app.call('POST', '/projects/default/destinations', { name, type: 'webhook', metadata })
  return receiver
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

it('nodes whose clocks are two hours apart send each message once, and none before its time', async () => {
  const good = await destination('good', 204)
  await destination('failing', 500)
  await post('good', 200)
  await post('failing', 1)
  await good.waitFor(({ requests }) => requests >= 200)
  const settled = async () => {
    const { rows } = await sql<{ laterMs: number | null }>`
      select (extract(epoch from a.create_time - lag(a.create_time) over (order by a.number)) * 1000)::float8 as "laterMs"
        from attempts a join messages m on m.id = a.message_id
       where m.destination_name = 'failing' order by a.number`.execute(app.db.sql)
    return rows
  }
  await expect.poll(settled).toHaveLength(2)
  expect(good.counters().requests).toBe(200)
  // The first wait is five seconds, less a fifth.
  expect((await settled())[1]?.laterMs).toBeGreaterThan(4_000)
})
