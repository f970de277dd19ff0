import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DeliveryRig,
  startDeliveryRig,
} from '../../packages/server/src/features/messaging/delivery/testing/delivery-rig.ts'
import { kindsToTest } from '../../packages/server/src/features/messaging/kinds/conformance.testkit.ts'
import { destinationKinds } from '../../packages/server/src/features/messaging/kinds/index.ts'
import { createTested } from './create-tested.testkit.ts'
import type { TestedDestination } from './tested-destination.testkit.ts'

// A fan-out and a destination by group have no server: the destinations that they name have.

const second = 1_000
const minute = 60 * second

let rig: DeliveryRig
beforeAll(async () => {
  rig = await startDeliveryRig()
})
afterAll(() => rig?.app.stop())

const attemptsOf = async (message: { id: string } | undefined) =>
  (await rig.app.call<object[]>('GET', `/projects/default/messages/${message?.id}/attempts`)).body

/** Lets time pass, then delivers if the service finds the destination due. */
async function afterDelay(to: TestedDestination, ms: number): Promise<boolean> {
  await rig.pass(to.id, ms)
  const isDue = (await rig.poll()).includes(to.id)
  if (isDue) await rig.deliver(to.id)
  return isDue
}

describe.each(await kindsToTest(destinationKinds))('$label', (tested) => {
  let to: TestedDestination
  const idOf = (id: string | undefined) => (tested.harness.hasNoIds ? '' : id)
  beforeAll(async () => {
    to = await createTested(rig, tested, `outage-${tested.label}`)
  })
  afterAll(() => to?.stop())

  it('delivers what waited, once and by itself, after the destination was unreachable for ten minutes', async () => {
    const body = to.bodyOf('waits')
    await to.down()
    await rig.post(to.name, body)
    const [posted] = await rig.messages(to.name)
    await rig.deliver(to.id)
    // Within ten minutes, the retry schedule has two attempts.
    for (const [delay, attempt] of [
      [5 * second, 2],
      [5 * minute, 3],
    ] as const) {
      expect(await afterDelay(to, delay - 1_000)).toBe(false)
      expect(await afterDelay(to, 1_000)).toBe(true)
      expect(await rig.messages(to.name)).toMatchObject([{ id: posted?.id, state: 'pending', attempt, leased: false }])
    }
    expect(await afterDelay(to, 5 * minute - 5 * second)).toBe(false)
    expect(await to.received()).toEqual([])
    await to.up()
    expect(await afterDelay(to, 25 * minute + 5 * second)).toBe(true)
    expect(await rig.messages(to.name)).toMatchObject([{ id: posted?.id, state: 'delivered', attempt: 4 }])
    expect(await to.received()).toEqual([{ id: idOf(posted?.id), body: JSON.stringify(body) }])
    expect(await attemptsOf(posted)).toHaveLength(4)
    const destination = await rig.destination(to.id)
    expect(destination).toMatchObject({ disabled: false, failures: 0, firstFailureAt: null, probeInMs: null })
  })

  it('waits for a slow answer, and delivers with one attempt', async () => {
    const body = to.bodyOf('is slow')
    await rig.post(to.name, body)
    const posted = (await rig.messages(to.name)).at(-1)
    const { kept } = await to.answerLate()
    const delivering = rig.deliver(to.id)
    await kept
    expect((await rig.messages(to.name)).at(-1)).toMatchObject({ state: 'pending', attempt: 0, leased: true })
    await to.answer()
    await delivering
    expect((await rig.messages(to.name)).at(-1)).toMatchObject({ id: posted?.id, state: 'delivered', attempt: 1 })
    expect(await attemptsOf(posted)).toHaveLength(1)
    expect((await to.received()).slice(1)).toEqual([{ id: idOf(posted?.id), body: JSON.stringify(body) }])
  })

  it.runIf(tested.kind.isOrdered)('in order, sends a message only after the ones before it arrived', async () => {
    const changed = await rig.app.call('PATCH', `/projects/default/destinations/${to.name}`, {
      ...{ updateMask: ['metadata.ordered'], destination: { metadata: { ordered: true } } },
    })
    expect(changed.body).toMatchObject({ metadata: { ordered: true } })
    const arrived = (await to.received()).length
    const bodies = ['first', 'second', 'third'].map((text) => to.bodyOf(text))
    await to.down()
    await rig.post(to.name, ...bodies)
    const ids = (await rig.messages(to.name)).slice(-3).map(({ id }) => id)
    await rig.deliver(to.id)
    expect((await rig.messages(to.name)).slice(-3).map(({ attempt }) => attempt)).toEqual([1, 0, 0])
    await to.up()
    expect(await afterDelay(to, 6 * second)).toBe(true)
    expect((await to.received()).slice(arrived)).toEqual(
      bodies.map((body, at) => ({ id: idOf(ids[at]), body: JSON.stringify(body) })),
    )
  })
})
