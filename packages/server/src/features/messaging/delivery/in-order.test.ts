import type { Answer } from '@mortise-examples/webhook-receiver'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { claimInOrder, postMessages } from '../messages/index.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'
import { vacuumMessages } from './testing/vacuum-messages.ts'

/** Destinations with the setting `ordered`. */

let rig: DeliveryRig
const receivers: WebhookReceiver[] = []
beforeAll(async () => {
  rig = await startDeliveryRig()
})
afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.close())))
afterAll(() => rig?.app.stop())

const path = '/projects/default/destinations'

/** A webhook in order, and what arrived at it. */
async function webhook(respond: (body: string) => Answer | Promise<Answer> = () => ({ status: 204 }), ordered = true) {
  const arrived: string[] = []
  const receiver = await startWebhookReceiver({
    respond: ({ body }) => {
      arrived.push(String(body))
      return respond(String(body))
    },
  })
  receivers.push(receiver)
  const { id, name } = await rig.create(receiver.url)
  if (ordered) await setOrdered(name, true)
  return { id, name, arrived }
}

async function setOrdered(name: string, ordered: boolean): Promise<void> {
  const { status } = await rig.app.call('PATCH', `${path}/${name}`, {
    updateMask: ['metadata.ordered'],
    destination: { metadata: { ordered } },
  })
  expect(status).toBe(200)
}

interface From {
  installationId?: string
  objectName?: string
}

const post = (destinationName: string, from: From, ...bodies: unknown[]) =>
  rig.app.db.transaction((tx) =>
    postMessages(
      tx,
      rig.app.app.services,
      bodies.map((body) => ({
        ...{ destinationName, kind: 'read' as const, payload: Buffer.from(JSON.stringify(body)) },
        ...from,
      })),
    ),
  )
const sequence = (objectName = 'contact') => ({ installationId: newId(), objectName })
const retryMs = 3_600_000

describe('a message that must be tried again', () => {
  it('holds up the later ones of its object and installation, and nothing else', async () => {
    const broken = new Set(['"a1"'])
    const { id, name, arrived } = await webhook((body) => ({ status: broken.has(body) ? 500 : 204 }))
    const [a, b] = [sequence(), sequence()]
    await post(name, a, 'a1', 'a2', 'a3')
    await post(name, b, 'b1', 'b2')
    await post(name, { ...a, objectName: 'deal' }, 'deal1')
    await post(name, {}, 'project')
    await rig.deliver(id)
    expect(arrived.toSorted()).toEqual(['"a1"', '"b1"', '"b2"', '"deal1"', '"project"'])
    // Posted later, and held up all the same.
    await post(name, a, 'a4')
    await rig.deliver(id)
    expect(arrived).toHaveLength(5)
    broken.clear()
    await rig.pass(id, retryMs)
    await rig.deliver(id)
    expect(arrived.slice(5)).toEqual(['"a1"', '"a2"', '"a3"', '"a4"'])
    expect((await rig.messages(name)).every(({ state, leased }) => state === 'delivered' && !leased)).toBe(true)
  })

  it('is overtaken at a destination without the setting', async () => {
    const { id, name, arrived } = await webhook((body) => ({ status: body === '"a1"' ? 500 : 204 }), false)
    await post(name, sequence(), 'a1', 'a2')
    await rig.deliver(id)
    expect(arrived.toSorted()).toEqual(['"a1"', '"a2"'])
  })

  it('counts no attempt for those behind it', async () => {
    const { id, name } = await webhook(() => ({ status: 500 }))
    await post(name, sequence(), 1, 2, 3)
    await rig.deliver(id)
    const messages = await rig.messages(name)
    expect(messages.map(({ attempt }) => attempt)).toEqual([1, 0, 0])
    expect(messages.map(({ leased }) => leased)).toEqual([false, false, false])
    expect(await rig.attempts(id)).toHaveLength(1)
  })

  it('lets the later ones go on when it becomes a dead letter', async () => {
    const { id, name, arrived } = await webhook((body) => ({ status: body === '"a1"' ? 500 : 204 }))
    await post(name, sequence(), 'a1', 'a2', 'a3')
    await rig.deliver(id)
    await sql`update messages set attempt = 1000, next_attempt_at = now() where destination_name = ${name} and attempt = 1`.execute(
      rig.app.db.sql,
    )
    await rig.deliver(id)
    expect((await rig.messages(name)).map(({ state }) => state)).toEqual(['failed', 'delivered', 'delivered'])
    expect(arrived.slice(1)).toEqual(['"a1"', '"a2"', '"a3"'])
  })
})

describe('messages of one object of an installation', () => {
  it('are sent one after the other, while those of others are sent at the same time', async () => {
    const sending = new Set<string>()
    let together = 0
    const { id, name, arrived } = await webhook(async (body) => {
      const [of = ''] = JSON.parse(body) as string
      expect(sending.has(of)).toBe(false)
      sending.add(of)
      together = Math.max(together, sending.size)
      await new Promise((resolve) => setImmediate(resolve))
      sending.delete(of)
      return { status: 204 }
    })
    const bodies = (of: string) => Array.from({ length: 60 }, (_, n) => `${of}${n}`)
    for (const of of ['a', 'b', 'c', 'd']) await post(name, sequence(), ...bodies(of))
    await rig.deliver(id)
    for (const of of ['a', 'b', 'c', 'd'])
      expect(arrived.filter((body) => body.startsWith(`"${of}`))).toEqual(bodies(of).map((body) => `"${body}"`))
    expect(together).toBeGreaterThan(1)
  })

  it('stay in order with two workers', async () => {
    const { id, name, arrived } = await webhook()
    const numbers = Array.from({ length: 150 }, (_, n) => n)
    await post(name, sequence(), ...numbers)
    await Promise.all([rig.deliver(id), rig.deliver(id), rig.deliver(id)])
    while ((await rig.poll()).includes(id)) await rig.deliver(id)
    expect(arrived).toEqual(numbers.map(String))
  })

  it('that are posted during a run follow in the same run, or in the next one', async () => {
    const from = sequence()
    const { id, name, arrived } = await webhook(async (body) => {
      if (body === '1') await post(name, from, 2, 3)
      return { status: 204 }
    })
    await post(name, from, 1)
    await rig.deliver(id)
    await rig.deliver(id)
    expect(arrived).toEqual(['1', '2', '3'])
  })

  it('begin again with the oldest one when the worker died', async () => {
    const { id, name, arrived } = await webhook()
    await post(name, sequence(), 1, 2, 3)
    const claim = {
      destinationId: id,
      limit: 2,
      limitOfSequence: 20,
      bytesMax: 1e6,
      leaseSeconds: 15,
      after: undefined,
    }
    const { claimed } = await claimInOrder(rig.app.db, { ...claim, token: newId() })
    expect(claimed.map(({ payload }) => String(payload))).toEqual(['1', '2'])
    await rig.deliver(id)
    expect(arrived).toEqual([])
    await rig.pass(id, 16_000)
    await rig.deliver(id)
    expect(arrived).toEqual(['1', '2', '3'])
  })

  it('wait in order from the moment at which the setting is turned on, until it is turned off', async () => {
    const { id, name, arrived } = await webhook((body) => ({ status: body === '1' ? 500 : 204 }), false)
    await post(name, sequence(), 1, 2)
    await setOrdered(name, true)
    await rig.deliver(id)
    expect(arrived).toEqual(['1'])
    await setOrdered(name, false)
    await rig.deliver(id)
    expect(arrived).toEqual(['1', '2'])
  })

  it('are probed with one message after ten failures, and all arrive when the destination is back', async () => {
    let isDown = true
    const { id, name, arrived } = await webhook(() => ({ status: isDown ? 500 : 204 }))
    const sequences = Array.from({ length: 12 }, () => sequence())
    for (const from of sequences) await post(name, from, `${from.installationId} 1`, `${from.installationId} 2`)
    await rig.deliver(id)
    expect((await rig.destination(id)).probeInMs).not.toBeNull()
    arrived.length = 0
    await rig.pass(id, retryMs)
    await rig.deliver(id)
    expect(arrived).toHaveLength(1)
    isDown = false
    arrived.length = 0
    await rig.pass(id, 24 * retryMs)
    await rig.deliver(id)
    expect(arrived).toHaveLength(24)
    for (const { installationId } of sequences)
      expect(arrived.filter((body) => body.includes(installationId))).toEqual([
        `"${installationId} 1"`,
        `"${installationId} 2"`,
      ])
  })
})

describe('a claim in order', () => {
  const claim = async (destinationId: string, options: Partial<Parameters<typeof claimInOrder>[1]> = {}) => {
    const limits = { limit: 100, limitOfSequence: 20, bytesMax: 1e6, leaseSeconds: 15, after: undefined }
    const { claimed, ...rest } = await claimInOrder(rig.app.db, {
      ...{ destinationId, token: newId() },
      ...limits,
      ...options,
    })
    return { bodies: claimed.map(({ payload }) => JSON.parse(String(payload)) as string), ...rest }
  }

  it('gives each sequence a share, and the next claim goes on with the others, until it has gone around', async () => {
    const { id, name } = await webhook()
    for (const of of ['a', 'b', 'c']) await post(name, sequence(), ...Array.from({ length: 30 }, () => of))
    const first = await claim(id, { limit: 25 })
    const second = await claim(id, { limit: 25, after: first.last })
    const third = await claim(id, { after: second.last })
    expect([first, second, third].map(({ bodies }) => bodies.length)).toEqual([25, 20, 0])
    expect(new Set([...first.bodies, ...second.bodies])).toEqual(new Set(['a', 'b', 'c']))
    expect([first, second, third].map(({ isDrained }) => isDrained)).toEqual([false, true, true])
  })

  it('takes nothing of a sequence whose oldest message another worker is taking', async () => {
    const { id, name } = await webhook()
    await post(name, sequence(), 'first', 'second')
    const [first] = await rig.messages(name)
    await rig.app.db.transaction(async (tx) => {
      await sql`select from messages where id = ${first!.id} for update`.execute(tx.sql)
      expect((await claim(id)).bodies).toEqual([])
    })
    expect((await claim(id)).bodies).toEqual(['first', 'second'])
  })

  it('of the next run begins after the sequences that the last one reached', async () => {
    const stop = new AbortController()
    const { id, name, arrived } = await webhook(() => {
      stop.abort()
      return { status: 204 }
    })
    const sequences = Array.from({ length: 800 }, () => sequence()).toSorted((one, other) =>
      one.installationId < other.installationId ? -1 : 1,
    )
    await rig.app.db.transaction((tx) =>
      postMessages(
        tx,
        rig.app.app.services,
        sequences.map((from) => ({
          ...{
            destinationName: name,
            kind: 'read' as const,
            payload: Buffer.from(JSON.stringify(from.installationId)),
          },
          ...from,
        })),
      ),
    )
    await rig.deliver(id, stop.signal)
    const before = arrived.length
    expect(before).toBeLessThan(100)
    await rig.deliver(id)
    const late = new Set(sequences.slice(100).map(({ installationId }) => JSON.stringify(installationId)))
    expect(arrived.slice(before, before + 30).filter((body) => !late.has(body))).toEqual([])
    expect(new Set(arrived).size).toBe(800)
  })

  it('ends after the message that exceeds its bytes', async () => {
    const { id, name } = await webhook()
    await post(name, sequence(), ...Array.from({ length: 10 }, () => 'x'.repeat(98)))
    expect((await claim(id, { bytesMax: 450 })).bodies).toHaveLength(5)
  })

  it('finds what is due behind 20,000 messages that wait for another one, and reads few pages', async () => {
    const { id, name } = await webhook()
    const held = { installationId: '00000000-0000-7000-8000-000000000001', objectName: 'contact' }
    for (let part = 0; part < 4; part++) await post(name, held, ...Array.from({ length: 5_000 }, () => 'held'))
    await sql`update messages set attempt = 1, next_attempt_at = now() + interval '1 hour'
               where id = (select min(id::text)::uuid from messages where destination_name = ${name})`.execute(
      rig.app.db.sql,
    )
    await post(name, sequence(), 'free')
    await vacuumMessages(rig.app.testDatabase.url)
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>`
      explain (analyze, buffers, format json)
      select from waiting_in_sequences(${rig.app.projectId}, ${id}, ${held.installationId}, '', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '', 500)`.execute(
      rig.app.db.sql,
    )
    const { Plan: plan } = rows[0]?.['QUERY PLAN'][0] ?? { Plan: {} }
    expect((plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)).toBeLessThan(1_500)
    expect(await claim(id)).toMatchObject({ bodies: ['free'], isDrained: true })
  })
})

describe('the setting', () => {
  it('is true or false', async () => {
    const { status, body } = await rig.app.call<{ issues: { name: string; detail: string }[] }>('POST', path, {
      ...{ name: 'wrong-order', type: 'webhook', metadata: { ordered: 'yes' } },
    })
    expect([status, body.issues.map(({ name }) => name)]).toEqual([400, ['metadata.url', 'metadata.ordered']])
    expect(body.issues[1]?.detail).toBe('metadata.ordered must be true or false.')
  })

  it('is shown, and stays when another setting changes', async () => {
    const { name } = await webhook()
    const changed = await rig.app.call('PATCH', `${path}/${name}`, {
      ...{ updateMask: ['metadata.headers'], destination: { metadata: { headers: { 'X-One': '1' } } } },
    })
    expect(changed.body).toMatchObject({ metadata: { ordered: true } })
  })
})
