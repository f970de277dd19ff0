import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Destination } from '../destinations/index.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'

let rig: DeliveryRig
let receiver: WebhookReceiver
let answer: { status: number; body?: string } = { status: 204 }
const bodies: unknown[] = []
beforeAll(async () => {
  rig = await startDeliveryRig()
  receiver = await startWebhookReceiver({
    respond: ({ message }) => {
      bodies.push(message)
      return answer
    },
  })
})
afterAll(async () => {
  await receiver?.close()
  await rig?.app.stop()
})

async function target() {
  const destination = await rig.create(receiver.url)
  receiver.setSecret(destination.secret)
  return destination
}
const call = <T = Destination>(name: string, verb: string, body?: unknown) =>
  rig.app.call<T>('POST', `/projects/default/destinations/${name}:${verb}`, body)
const get = async (name: string) =>
  (await rig.app.call<Destination>('GET', `/projects/default/destinations/${name}`)).body

interface Tested {
  messageId: string
  delivered: boolean
  status?: number
  error?: string
  response?: string
  durationMs: number
}

describe('a test message', () => {
  it('arrives signed, and its answer is told', async () => {
    const { name, id } = await target()
    answer = { status: 202, body: 'thanks' }
    bodies.length = 0
    const before = receiver.counters().verified
    const tested = await call<Tested>(name, 'test')
    expect(tested.status).toBe(200)
    expect(tested.body).toEqual({
      messageId: expect.any(String),
      delivered: true,
      status: 202,
      response: 'thanks',
      durationMs: expect.any(Number),
    })
    expect(receiver.counters().verified - before).toBe(1)
    const data = { projectId: rig.app.projectId, destinationId: id, destinationName: name, time: expect.any(String) }
    expect(bodies).toEqual([{ notificationType: 'destination.test', data }])
  })

  it('that fails is told with its reason, and says nothing about the health of the destination', async () => {
    const { name } = await target()
    answer = { status: 410, body: 'gone' }
    for (let n = 0; n < 11; n++) {
      const tested = await call<Tested>(name, 'test')
      expect(tested.body).toMatchObject({ delivered: false, status: 410, response: 'gone', error: expect.any(String) })
    }
    const found = await get(name)
    expect(found.status).toBe('active')
    expect(found.failureCount).toBeUndefined()
  })

  it('tells when nobody is there', async () => {
    const gone = await startWebhookReceiver()
    const { name } = await rig.create(gone.url)
    await gone.close()
    const tested = await call<Tested>(name, 'test')
    expect([tested.status, tested.body.delivered, tested.body.status]).toEqual([200, false, undefined])
    expect(tested.body.error).toEqual(expect.any(String))
  })

  it('reaches a disabled destination', async () => {
    const { name } = await target()
    answer = { status: 204 }
    await call(name, 'disable')
    expect((await call<Tested>(name, 'test')).body.delivered).toBe(true)
    expect((await get(name)).status).toBe('disabled')
  })
})

describe('a destination', () => {
  it('that is disabled gets nothing until it is enabled, and both are told once', async () => {
    const told = vi.spyOn(rig.app.app.services.hooks, 'destinationChanged')
    answer = { status: 204 }
    const { name, id } = await target()
    told.mockClear()
    const disabled = await call(name, 'disable', { reason: 'Moving house.' })
    expect(disabled.body).toMatchObject({
      status: 'disabled',
      disabledReason: 'Moving house.',
      disabledTime: expect.any(String),
    })
    const again = await call(name, 'disable', { reason: 'Another.' })
    expect(again.body.disabledReason).toBe('Moving house.')
    await rig.post(name, {}, {})
    const before = receiver.counters().requests
    await rig.deliver(id)
    expect(receiver.counters().requests).toBe(before)
    expect(await rig.poll()).not.toContain(id)

    const enabled = await call(name, 'enable')
    expect(enabled.body.status).toBe('active')
    expect(enabled.body.disabledReason).toBeUndefined()
    await call(name, 'enable')
    expect(await rig.poll()).toContain(id)
    await rig.deliver(id)
    expect(receiver.counters().requests - before).toBe(2)
    const change = { destinationId: id, name }
    expect(told.mock.calls.map(([, call]) => call)).toEqual([
      { ...change, kind: 'disabled' },
      { ...change, kind: 'enabled' },
    ])
    told.mockRestore()
  })

  it('that fails shows since when, how often, and when it is probed; enabling ends the wait', async () => {
    answer = { status: 500 }
    const { name, id } = await target()
    await rig.post(name, {})
    await rig.deliver(id)
    expect(await get(name)).toMatchObject({
      status: 'failing',
      failureCount: 1,
      firstFailureTime: expect.any(String),
    })
    await rig.post(name, ...Array.from({ length: 12 }, () => ({})))
    await rig.deliver(id)
    const failing = await get(name)
    expect(failing).toMatchObject({ status: 'failing', nextProbeTime: expect.any(String) })
    expect(failing.failureCount).toBeGreaterThanOrEqual(10)
    answer = { status: 204 }
    const before = receiver.counters().requests
    await rig.deliver(id)
    expect(receiver.counters().requests).toBe(before)
    const { body } = await call(name, 'enable')
    expect([body.status, body.failureCount, body.nextProbeTime]).toEqual(['active', undefined, undefined])
    await rig.pass(id, 10_000)
    await rig.deliver(id)
    expect((await rig.messages(name)).map(({ state }) => state)).toEqual(Array(13).fill('delivered'))
  })

  it.each(['test', 'enable', 'disable'])('of nobody is the same 404 for :%s', async (verb) => {
    const { id } = await target()
    expect((await call('nobody', verb)).status).toBe(404)
    const { id: project, apiKey } = rig.app.otherProject
    const theirs = await rig.app.call('POST', `/projects/${project}/destinations/${id}:${verb}`, undefined, { apiKey })
    expect(theirs.status).toBe(404)
  })
})
