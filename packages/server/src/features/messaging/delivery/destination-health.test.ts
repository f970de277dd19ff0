import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { breakerFailures } from '../destinations/index.ts'
import { retryScheduleMs } from './retry-schedule.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'

let rig: DeliveryRig
let receiver: WebhookReceiver
let status = 200
beforeAll(async () => {
  rig = await startDeliveryRig()
  receiver = await startWebhookReceiver({ respond: () => ({ status }) })
})
afterAll(async () => {
  await receiver?.close()
  await rig?.app.stop()
})

const second = 1_000
const hour = 3_600 * second
const day = 24 * hour

/** What is to be true of a destination, in the simplest words. */
interface Model {
  now: number
  failures: number
  firstFailureAt: number | undefined
  probeAttempt: number
  probeAt: number | undefined
  disabled: boolean
}
const healthy = { failures: 0, firstFailureAt: undefined, probeAttempt: 0, probeAt: undefined, disabled: false }

/** Whether an attempt is made, and what the destination is after it. */
function attempt(model: Model, answer: number): { made: boolean; after: Model } {
  if (model.disabled || (model.probeAt !== undefined && model.probeAt > model.now)) return { made: false, after: model }
  if (answer === 200) return { made: true, after: { ...model, ...healthy } }
  const failures = model.failures + 1
  const firstFailureAt = model.firstFailureAt ?? model.now
  const disabled = answer === 410 || model.now - firstFailureAt > 5 * day
  if (failures < breakerFailures) return { made: true, after: { ...model, failures, firstFailureAt, disabled } }
  const probeAttempt = model.probeAt === undefined ? 0 : model.probeAttempt + 1
  const probeAt = model.now + (retryScheduleMs[Math.min(probeAttempt, retryScheduleMs.length - 1)] ?? 0)
  return { made: true, after: { ...model, failures, firstFailureAt, disabled, probeAttempt, probeAt } }
}

type Step = { kind: 'attempt'; answer: number } | { kind: 'pass'; ms: number } | { kind: 'enable' }
// No sum of these comes near a wait or five days, so that the time which a step really takes decides nothing.
const steps = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.constant<Step>({ kind: 'attempt', answer: 500 }) },
    { weight: 2, arbitrary: fc.constant<Step>({ kind: 'attempt', answer: 200 }) },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'attempt', answer: 410 }) },
    {
      weight: 6,
      arbitrary: fc
        .constantFrom(67 * second, 1.37 * hour, 11.3 * hour, 2.7 * day)
        .map((ms): Step => ({ kind: 'pass', ms })),
    },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'enable' }) },
  ),
  { minLength: 20, maxLength: 60 },
)

it('a destination fails, is probed, disabled and enabled as the model says, and every disabling is told once', async () => {
  const told = vi.spyOn(rig.app.app.services.hooks, 'destinationChanged')
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      told.mockClear()
      const destination = await rig.create(receiver.url)
      receiver.setSecret(destination.secret)
      let model: Model = { now: 0, ...healthy }
      let disablings = 0
      for (const step of sequence) {
        if (step.kind === 'pass') {
          await rig.pass(destination.id, step.ms)
          model = { ...model, now: model.now + step.ms }
        } else if (step.kind === 'enable') {
          await rig.app.call('PATCH', `/projects/default/destinations/${destination.id}`, {
            updateMask: ['metadata.url'],
            destination: { metadata: { url: receiver.url } },
          })
          model = { ...model, ...healthy }
        } else {
          status = step.answer
          const before = receiver.counters().requests
          await rig.post(destination.name, {})
          await rig.deliver(destination.id)
          const { made, after } = attempt(model, step.answer)
          expect(receiver.counters().requests - before).toBe(made ? 1 : 0)
          if (after.disabled && !model.disabled) disablings++
          model = after
          // One message at a time: earlier ones have had their say.
          await sql`update messages set state = 'discarded' where destination_id = ${destination.id} and state = 'pending'`.execute(
            rig.app.db.sql,
          )
        }
        const found = await rig.destination(destination.id)
        expect({
          failures: found.failures,
          disabled: found.disabled,
          held: found.probeInMs !== null,
          failing: found.firstFailureAt !== null,
        }).toEqual({
          failures: model.failures,
          disabled: model.disabled,
          held: model.probeAt !== undefined,
          failing: model.firstFailureAt !== undefined,
        })
      }
      expect(told.mock.calls.filter(([, change]) => change.kind === 'disabled')).toHaveLength(disablings)
    }),
    { numRuns: 12 },
  )
  told.mockRestore()
})
