import {
  type Answer,
  startWebhookReceiver,
  type WebhookReceiver,
  type WebhookReceiverOptions,
} from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { claimMessages, cutDataMessages, messageBytesMax, renewLeases, settleMessages } from '../messages/index.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'

let rig: DeliveryRig
const receivers: WebhookReceiver[] = []
beforeAll(async () => {
  rig = await startDeliveryRig()
})
afterEach(async () => {
  rig.app.clock.set(new Date())
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()))
})
afterAll(() => rig?.app.stop())

async function receive(options: WebhookReceiverOptions = {}): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver({ storeBodies: true, ...options })
  receivers.push(receiver)
  return receiver
}

/** A receiver and a destination that leads to it, with its secret known there. */
async function pair(options: WebhookReceiverOptions = {}, headers?: Record<string, string>) {
  const receiver = await receive(options)
  const destination = await rig.create(receiver.url, headers)
  receiver.setSecret(destination.secret)
  return { receiver, destination }
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => ({ n }))
const states = async (name: string) => (await rig.messages(name)).map(({ state }) => state)

describe('a message', () => {
  it('arrives once, byte for byte, signed, with the headers of its destination, and its attempt is kept', async () => {
    const seen: { id: string | undefined; text: string; headers: Record<string, unknown> }[] = []
    const { receiver, destination } = await pair(
      {
        respond: ({ id, body, headers }) => {
          seen.push({ id, text: body.toString(), headers })
          return { status: 200, body: 'thanks' }
        },
      },
      { 'X-Tenant': 'Ä' },
    )
    const payload = Buffer.from('{ "odd" :  "spacing é" }')
    await rig.post(destination.name, { payload })
    expect(await rig.deliver(destination.id)).toBe(false)
    expect(receiver.counters()).toMatchObject({ requests: 1, verified: 1, refused: 0 })
    const [message] = await rig.messages(destination.name)
    expect(message).toMatchObject({ state: 'delivered', attempt: 1, leased: false })
    expect(seen).toEqual([
      {
        id: message?.id,
        text: payload.toString(),
        headers: expect.objectContaining({ 'content-type': 'application/json', 'x-tenant': 'Ä' }),
      },
    ])
    expect(seen[0]?.headers['svix-id']).toBe(message?.id)
    expect(await rig.attempts(destination.id)).toEqual([{ number: 1, status: 200, error: null, response: 'thanks' }])
  })

  it('comes with all others when there are many', async () => {
    const { receiver, destination } = await pair()
    await rig.post(destination.name, ...numbers(730))
    await rig.deliver(destination.id)
    expect(receiver.counters()).toMatchObject({ requests: 730, verified: 730 })
    expect(new Set(receiver.bodies.map((body) => (body as { n: number }).n)).size).toBe(730)
    expect(new Set(await states(destination.name))).toEqual(new Set(['delivered']))
  })

  it('is signed with the new and the old secret after a rotation', async () => {
    const { receiver, destination } = await pair()
    const rotated = await rig.app.call<{ secrets: { webhookSigningKey: string } }>(
      'GET',
      `/projects/default/destinations/${destination.id}?rotate=true&includeSecrets=true`,
    )
    await rig.post(destination.name, {})
    await rig.deliver(destination.id)
    expect(receiver.counters()).toMatchObject({ verified: 1, refused: 0 })
    receiver.setSecret(rotated.body.secrets.webhookSigningKey)
    await rig.post(destination.name, {})
    await rig.deliver(destination.id)
    expect(receiver.counters()).toMatchObject({ verified: 2, refused: 0 })
  })

  it('is not signed with the old secret after 24 hours', async () => {
    const { receiver, destination } = await pair()
    await rig.app.call('GET', `/projects/default/destinations/${destination.id}?rotate=true`)
    await sql`update destinations set previous_secrets = jsonb_set(previous_secrets, '{0,until}', to_jsonb(now() - interval '1 second')) where id = ${destination.id}`.execute(
      rig.app.db.sql,
    )
    await rig.post(destination.name, {})
    await rig.deliver(destination.id)
    expect(receiver.counters()).toMatchObject({ verified: 0, refused: 1 })
  })

  it('that is too large brings a URL that is signed at each attempt', async () => {
    const urls: string[] = []
    const { destination } = await pair({
      // Its clock is not the one that is moved below.
      verify: false,
      respond: ({ message }) => {
        urls.push((message as { resultInfo: { downloadUrl: string } }).resultInfo.downloadUrl)
        return { status: urls.length === 1 ? 500 : 204 }
      },
    })
    const entry = JSON.stringify({ raw: { text: 'ü'.repeat(200_000) } })
    const header = { action: 'read', objectName: 'notes' } as never
    const cut = cutDataMessages(header, [entry], { messageBytesMax })
    await rig.post(destination.name, ...cut)
    await rig.deliver(destination.id)
    rig.app.clock.advance(20 * 60_000)
    await rig.pass(destination.id, 6_000)
    await rig.deliver(destination.id)
    const fetchPath = async (url = '') => fetch(rig.app.url + url.slice(new URL(url).origin.length))
    const [expired, good] = [await fetchPath(urls[0]), await fetchPath(urls[1])]
    expect(good.status).toBe(200)
    expect(good.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await good.json()).toEqual([JSON.parse(entry)])
    expect(expired.status).toBe(410)
    expect(await expired.json()).toMatchObject({ context: { code: 'result-url-expired' } })
    const forged = await fetchPath(urls[1]?.replace(/signature=.{4}/, 'signature=AAAA'))
    expect(forged.status).toBe(403)
    const otherRow = await fetchPath(urls[1]?.replace(/results\/[^?]+/, `results/${rig.app.projectId}`))
    expect(otherRow.status).toBe(403)
    expect((await fetchPath(`${new URL(urls[1] ?? '').origin}/results/x`)).status).toBe(403)
  })
})

describe('an attempt that fails', () => {
  it('is followed by the next after each delay with the same id, and by none after the eighth', async () => {
    const ids: (string | undefined)[] = []
    const { receiver, destination } = await pair({
      respond: ({ id }) => {
        ids.push(id)
        return { status: 500, body: 'broken\u0000 here' }
      },
    })
    await rig.post(destination.name, {})
    const delays = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000].map((seconds) => seconds * 1_000)
    for (const delay of delays) {
      await rig.deliver(destination.id)
      const [message] = await rig.messages(destination.name)
      expect(message?.state).toBe('pending')
      expect(message?.dueInMs).toBeGreaterThan(delay - 5_000)
      expect(message?.dueInMs).toBeLessThanOrEqual(delay)
      await rig.pass(destination.id, delay)
    }
    await rig.deliver(destination.id)
    expect(await states(destination.name)).toEqual(['failed'])
    expect(receiver.counters().requests).toBe(8)
    expect(new Set(ids).size).toBe(1)
    const attempts = await rig.attempts(destination.id)
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(attempts[0]).toMatchObject({
      status: 500,
      response: 'broken\ufffd here',
      error: expect.stringContaining('500'),
    })
  })

  it.each<[string, Answer]>([
    ['a redirect, which is not followed', { status: 302, headers: { location: '/elsewhere' } }],
    ['a permanent redirect', { status: 308, headers: { location: '/elsewhere' } }],
    ['not modified', { status: 304 }],
    ['a client error', { status: 404 }],
  ])('includes %s', async (_, answer) => {
    const { receiver, destination } = await pair({ respond: () => answer })
    await rig.post(destination.name, {})
    await rig.deliver(destination.id)
    expect(receiver.counters().requests).toBe(1)
    expect(await rig.messages(destination.name)).toMatchObject([{ state: 'pending', attempt: 1 }])
  })

  it('waits as long as the receiver asks, between the delay and twice the delay', async () => {
    const { destination } = await pair({ respond: () => ({ status: 429, headers: { 'retry-after': '8' } }) })
    await rig.post(destination.name, {})
    await rig.deliver(destination.id)
    const [message] = await rig.messages(destination.name)
    expect(message?.dueInMs).toBeGreaterThan(5_500)
    expect(message?.dueInMs).toBeLessThanOrEqual(8_000)
  })

  it('to a host that may not be reached any more is kept with its reason', async () => {
    const { destination } = await pair()
    await sql`update destinations set metadata = '{"url":"https://10.0.0.1/"}' where id = ${destination.id}`.execute(
      rig.app.db.sql,
    )
    await rig.post(destination.name, {})
    await rig.deliver(destination.id)
    expect(await rig.attempts(destination.id)).toMatchObject([
      { status: null, error: expect.stringContaining('10.0.0.1') },
    ])
  })

  it('stores an answer that echoes headers of the destination without them', async () => {
    const respond: WebhookReceiverOptions['respond'] = ({ headers }) => ({
      status: 500,
      body: `${headers['x-token']} ${headers['x-tenant']}`,
    })
    const { destination } = await pair({ respond }, { 'X-Token': 'hunter2-hunter2', 'X-Tenant': 'a' })
    await rig.post(destination.name, {})
    await rig.deliver(destination.id)
    const [attempt] = await rig.attempts(destination.id)
    expect(attempt?.response).toBe('[secret] a')
  })

  it('stores no more of an answer than 2 KB', async () => {
    const { destination } = await pair({ respond: () => ({ status: 500, body: 'x'.repeat(100_000) }) })
    await rig.post(destination.name, {})
    await rig.deliver(destination.id)
    expect((await rig.attempts(destination.id))[0]?.response).toHaveLength(2_048)
  })
})

describe('a destination', () => {
  it('that answers 410 is disabled at once, tells it once, and its messages are held until it is enabled', async () => {
    let gone = true
    const { receiver, destination } = await pair({ respond: () => ({ status: gone ? 410 : 204 }) })
    const disabled = vi.spyOn(rig.app.app.services.hooks, 'destinationChanged')
    await rig.post(destination.name, ...numbers(40))
    await rig.deliver(destination.id)
    expect(await rig.destination(destination.id)).toMatchObject({
      disabled: true,
      reason: 'The endpoint answered 410 Gone.',
    })
    expect(disabled.mock.calls.map(([, change]) => change)).toEqual([
      { destinationId: destination.id, name: destination.name, kind: 'disabled' },
    ])
    disabled.mockRestore()
    const { requests } = receiver.counters()
    expect(requests).toBeLessThanOrEqual(16)
    await rig.pass(destination.id, 3_600_000)
    expect(await rig.poll()).not.toContain(destination.id)
    expect(await rig.deliver(destination.id)).toBe(false)
    expect(receiver.counters().requests).toBe(requests)
    expect(new Set(await states(destination.name))).toEqual(new Set(['pending']))
    gone = false
    const enabled = await rig.app.call('PATCH', `/projects/default/destinations/${destination.id}`, {
      updateMask: ['metadata.url'],
      destination: { metadata: { url: receiver.url } },
    })
    expect(enabled.status).toBe(200)
    expect(await rig.poll()).toContain(destination.id)
    await rig.deliver(destination.id)
    expect(new Set(await states(destination.name))).toEqual(new Set(['delivered']))
  })

  it('is not disabled for what its former URL answered', async () => {
    const { destination, receiver } = await pair({
      respond: async () => {
        const body = { updateMask: ['metadata.url'], destination: { metadata: { url: `${receiver.url}new` } } }
        await rig.app.call('PATCH', `/projects/default/destinations/${destination.id}`, body)
        return { status: 410 }
      },
    })
    await rig.post(destination.name, {})
    await rig.deliver(destination.id)
    expect(await rig.destination(destination.id)).toMatchObject({ disabled: false, failures: 0 })
  })

  it('is disabled when every attempt of five days failed, and not before', async () => {
    const { destination } = await pair({ respond: () => ({ status: 500 }) })
    await rig.post(destination.name, {})
    await rig.deliver(destination.id)
    await rig.pass(destination.id, 5 * 86_400_000 - 60_000)
    await rig.deliver(destination.id)
    expect(await rig.destination(destination.id)).toMatchObject({ disabled: false, failures: 2 })
    await rig.pass(destination.id, 400_000)
    await rig.deliver(destination.id)
    expect(await rig.destination(destination.id)).toMatchObject({ disabled: true })
  })

  it('begins anew after one success', async () => {
    let status = 500
    const { destination } = await pair({ respond: () => ({ status }) })
    await rig.post(destination.name, {})
    await rig.deliver(destination.id)
    await rig.pass(destination.id, 4 * 86_400_000)
    status = 200
    await rig.deliver(destination.id)
    expect(await rig.destination(destination.id)).toMatchObject({ failures: 0, firstFailureAt: null })
    status = 500
    await rig.post(destination.name, {})
    await rig.deliver(destination.id)
    await rig.pass(destination.id, 2 * 86_400_000)
    await rig.deliver(destination.id)
    expect(await rig.destination(destination.id)).toMatchObject({ disabled: false, failures: 2 })
  })

  it('that keeps failing gets one probe at a time, and held messages burn no attempts', async () => {
    let status = 500
    const { receiver, destination } = await pair({ respond: () => ({ status }) })
    await rig.post(destination.name, ...numbers(200))
    expect(await rig.deliver(destination.id)).toBe(false)
    const first = receiver.counters().requests
    expect(first).toBeGreaterThanOrEqual(10)
    expect(first).toBeLessThanOrEqual(10 + 16)
    expect((await rig.messages(destination.name)).filter(({ attempt }) => attempt > 0)).toHaveLength(first)
    expect((await rig.messages(destination.name)).filter(({ leased }) => leased)).toEqual([])
    for (const [index, delay] of [5_000, 300_000, 1_800_000, 7_200_000].entries()) {
      const { probeInMs, failedProbes } = await rig.destination(destination.id)
      expect(failedProbes).toBe(index)
      expect(probeInMs).toBeGreaterThan(delay - 5_000)
      expect(probeInMs).toBeLessThanOrEqual(delay)
      expect(await rig.poll()).not.toContain(destination.id)
      await rig.deliver(destination.id)
      expect(receiver.counters().requests).toBe(first + index)
      await rig.pass(destination.id, delay)
      expect(await rig.poll()).toContain(destination.id)
      await Promise.all([rig.deliver(destination.id), rig.deliver(destination.id)])
      expect(receiver.counters().requests).toBe(first + index + 1)
    }
    status = 200
    await rig.pass(destination.id, 86_400_000)
    await rig.deliver(destination.id)
    expect(new Set(await states(destination.name))).toEqual(new Set(['delivered']))
    expect(await rig.destination(destination.id)).toMatchObject({ failures: 0, probeInMs: null, failedProbes: 0 })
  })

  it('that does not exist holds its messages until it does', async () => {
    const receiver = await receive()
    await rig.post('later', ...numbers(3))
    await rig.poll()
    expect(await rig.messages('later')).toMatchObject([
      { destinationId: null },
      { destinationId: null },
      { destinationId: null },
    ])
    const body = { name: 'later', type: 'webhook', metadata: { url: receiver.url } }
    const { id } = (await rig.app.call<{ id: string }>('POST', '/projects/default/destinations', body)).body
    expect(await rig.poll()).toContain(id)
    await rig.deliver(id)
    expect(receiver.bodies).toHaveLength(3)
  })

  it('that was deleted leaves its messages to the next of its name, and only in its project', async () => {
    const { destination } = await pair({ respond: () => ({ status: 500 }) })
    await rig.post(destination.name, ...numbers(3))
    await rig.deliver(destination.id)
    await rig.app.call('DELETE', `/projects/default/destinations/${destination.id}`)
    await rig.poll()
    expect(new Set((await rig.messages(destination.name)).map(({ destinationId }) => destinationId))).toEqual(
      new Set([null]),
    )
    const receiver = await receive()
    const body = { name: destination.name, type: 'webhook', metadata: { url: receiver.url } }
    const other = rig.app.otherProject
    const theirs = await rig.app.call<{ id: string }>('POST', `/projects/${other.id}/destinations`, body, {
      apiKey: other.apiKey,
    })
    expect(await rig.poll()).not.toContain(theirs.body.id)
    const { id } = (await rig.app.call<{ id: string }>('POST', '/projects/default/destinations', body)).body
    await rig.poll()
    await rig.pass(id, 6_000)
    await rig.deliver(id)
    expect(receiver.bodies).toHaveLength(3)
  })
})

describe('two delivery workers', () => {
  it('never send the same message', async () => {
    const { receiver, destination } = await pair()
    await rig.post(destination.name, ...numbers(500))
    await Promise.all([rig.deliver(destination.id), rig.deliver(destination.id), rig.deliver(destination.id)])
    expect(receiver.counters().requests).toBe(500)
    expect(new Set(await states(destination.name))).toEqual(new Set(['delivered']))
    expect(await rig.attempts(destination.id)).toHaveLength(500)
  })

  it('settle only what their lease still holds', async () => {
    const { destination } = await pair()
    await rig.post(destination.name, {})
    const claim = { destinationId: destination.id, limit: 10, bytesMax: 1e6, leaseSeconds: 15 }
    const { newId } = rig.app.app.services
    const [late] = await claimMessages(rig.app.db, { ...claim, token: newId() })
    expect(await claimMessages(rig.app.db, { ...claim, token: newId() })).toEqual([])
    await rig.pass(destination.id, 16_000)
    const [holder] = await claimMessages(rig.app.db, { ...claim, token: newId() })
    expect(holder?.id).toBe(late?.id)
    const settle = (token: string, state: 'delivered' | 'failed') =>
      settleMessages(rig.app.db, destination.id, [
        { id: late!.id, token, state, attempt: 1, delayMs: 0, ended: { status: 200, durationMs: 1 } },
      ])
    await settle(late!.token, 'failed')
    expect(await rig.messages(destination.name)).toMatchObject([{ state: 'pending', leased: true }])
    await settle(holder!.token, 'delivered')
    await settle(holder!.token, 'failed')
    expect(await rig.messages(destination.name)).toMatchObject([{ state: 'delivered', attempt: 1 }])
    expect(await rig.attempts(destination.id)).toHaveLength(1)
  })

  it('hold a message for as long as they renew its lease, and no other’s', async () => {
    const { destination } = await pair()
    await rig.post(destination.name, {})
    const claim = () =>
      claimMessages(rig.app.db, {
        destinationId: destination.id,
        limit: 10,
        bytesMax: 1e6,
        leaseSeconds: 15,
        token: rig.app.app.services.newId(),
      })
    const [first] = await claim()
    await rig.pass(destination.id, 14_000)
    await renewLeases(rig.app.db, [first!], 15)
    await rig.pass(destination.id, 14_000)
    expect(await claim()).toEqual([])
    await rig.pass(destination.id, 2_000)
    const [second] = await claim()
    expect(second?.id).toBe(first?.id)
    await rig.pass(destination.id, 14_000)
    await renewLeases(rig.app.db, [first!], 15)
    await rig.pass(destination.id, 2_000)
    expect(await claim()).toHaveLength(1)
  })

  it('claim without writing to indexes', async () => {
    const { destination } = await pair()
    await rig.post(destination.name, ...numbers(200))
    const claim = { destinationId: destination.id, limit: 100, bytesMax: 1e6, leaseSeconds: 15 }
    const counted = async (tx: ProjectDb) => {
      const { rows } = await sql<{ updated: number; light: number }>`
        select coalesce(sum(n_tup_upd), 0)::int as updated, coalesce(sum(n_tup_hot_upd), 0)::int as light
          from pg_stat_xact_user_tables where relname like 'messages%'`.execute(tx.sql)
      return rows[0]!
    }
    const [before, after] = await rig.app.db.transaction(async (tx) => {
      const first = await counted(tx)
      expect(await claimMessages(tx, { ...claim, token: rig.app.app.services.newId() })).toHaveLength(100)
      return [first, await counted(tx)]
    })
    expect(after.updated - before.updated).toBe(100)
    // But for the odd row whose page was filled before.
    expect(after.light - before.light).toBeGreaterThan(80)
    // What one holds is not due.
    await claimMessages(rig.app.db, { ...claim, token: rig.app.app.services.newId() })
    expect(await rig.poll()).not.toContain(destination.id)
  })

  it('claim no more than 4 MB at once, but at least one message', async () => {
    const { destination } = await pair()
    const payload = Buffer.from(JSON.stringify('x'.repeat(290_000)))
    await rig.post(destination.name, ...Array.from({ length: 20 }, () => ({ payload })))
    const claim = (bytesMax: number) =>
      claimMessages(rig.app.db, {
        destinationId: destination.id,
        limit: 100,
        bytesMax,
        leaseSeconds: 15,
        token: rig.app.app.services.newId(),
      })
    expect(await claim(10)).toHaveLength(1)
    expect(await claim(4 * 1024 * 1024)).toHaveLength(15)
  })
})

describe('a delivery worker that is stopped', () => {
  it('lets what is under way end and gives the rest back without an attempt', async () => {
    const stop = new AbortController()
    const { receiver, destination } = await pair({
      respond: () => {
        stop.abort()
        return { status: 204 }
      },
    })
    await rig.post(destination.name, ...numbers(100))
    await rig.deliver(destination.id, stop.signal)
    const sent = receiver.counters().requests
    expect(sent).toBeLessThan(100)
    const messages = await rig.messages(destination.name)
    expect(messages.filter(({ state }) => state === 'delivered')).toHaveLength(sent)
    expect(messages.filter(({ leased }) => leased)).toEqual([])
    await rig.deliver(destination.id)
    expect(receiver.counters().requests).toBe(100)
    expect(await rig.attempts(destination.id)).toHaveLength(100)
  })
})
