import { startWebhookReceiver } from '@mortise-examples/webhook-receiver'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTestGroup } from '../../../kernel/processes/process-group.testkit.ts'
import { createDeliveryRate } from './delivery-rate.ts'
import { deliver } from './delivery-worker.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'

/** A clock that stands still until it is moved. */
function stopped() {
  let time = Date.UTC(2026, 0, 31)
  return { now: () => new Date(time), advance: (ms: number) => (time += ms) }
}

describe('the rate of deliveries', () => {
  it('is that of each project, with a tenth of a second at once after a pause', () => {
    const { now, advance } = stopped()
    const rate = createDeliveryRate({ perSecond: 1_000, now })
    const taken = (project: string) => {
      let count = 0
      while (rate.take(project) === 0) count++
      return count
    }
    expect([taken('a'), taken('a'), taken('b')]).toEqual([100, 0, 100])
    let sum = 0
    for (let ms = 0; ms < 10_000; ms += 7) {
      advance(7)
      sum += taken('a')
    }
    expect(sum).toBe(10_003)
    advance(3_600_000)
    expect(taken('a')).toBe(100)
  })

  it('says how long to wait', () => {
    const { now, advance } = stopped()
    const rate = createDeliveryRate({ perSecond: 2, now })
    expect(rate.take('a')).toBe(0)
    expect(rate.take('a')).toBeCloseTo(500)
    advance(400)
    expect(rate.take('a')).toBeCloseTo(100)
    advance(100)
    expect(rate.take('a')).toBe(0)
  })

  it('does not wait for a clock that was set back', () => {
    const { now, advance } = stopped()
    const rate = createDeliveryRate({ perSecond: 10, now })
    rate.take('a')
    advance(-3_600_000)
    expect(rate.take('a')).toBeLessThanOrEqual(100)
    advance(200)
    expect(rate.take('a')).toBe(0)
  })

  it('is that of all processes of the node together', async () => {
    const { now, advance } = stopped()
    const rates = createTestGroup(2).map((group) => createDeliveryRate({ perSecond: 100, now, group }))
    const [one, two] = rates
    while (one?.take('a') === 0);
    // The burst of ten is used up, also at the other process.
    await expect.poll(() => two?.take('a')).toBeGreaterThan(0)
    advance(50)
    await expect.poll(() => two?.take('a')).toBe(0)
    expect(two?.take('b')).toBe(0)
  })

  it('of 0 is none', () => {
    const rate = createDeliveryRate({ perSecond: 0, now: stopped().now })
    for (let n = 0; n < 10_000; n++) expect(rate.take('a')).toBe(0)
  })
})

describe('a delivery worker', () => {
  let rig: DeliveryRig
  beforeAll(async () => {
    rig = await startDeliveryRig()
  })
  afterAll(() => rig?.app.stop())

  it('sends no faster than the rate, and everything in the end', async () => {
    const { now, advance } = stopped()
    const began = now().getTime()
    const early: number[] = []
    let sent = 0
    const receiver = await startWebhookReceiver({
      respond: () => {
        sent++
        if (sent > 1 + (now().getTime() - began) / 100) early.push(sent)
        return { status: 204 }
      },
    })
    onTestFinished(() => receiver.close())
    const destination = await rig.create(receiver.url)
    await rig.post(destination.name, ...Array.from({ length: 30 }, (_, n) => ({ n })))
    const { services } = rig.app.app
    const drained = deliver(
      { ...services, deliveryRate: createDeliveryRate({ perSecond: 10, now }) },
      { projectId: rig.app.projectId, destinationId: destination.id, signal: new AbortController().signal },
    )
    for (let n = 1; n <= 3; n++) {
      await vi.waitFor(() => expect(sent).toBe(n), 20_000)
      advance(100)
    }
    // What waits is no failure, and nobody else's.
    expect(await rig.attempts(destination.id)).not.toContainEqual(expect.objectContaining({ status: null }))
    const all = setInterval(() => advance(100), 1)
    await drained.finally(() => clearInterval(all))
    expect([sent, early]).toEqual([30, []])
  })
})
