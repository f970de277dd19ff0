import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leaseSeconds } from '../../packages/server/src/features/messaging/delivery/delivery-rules.ts'
import {
  type DeliveryRig,
  startDeliveryRig,
} from '../../packages/server/src/features/messaging/delivery/testing/delivery-rig.ts'
import { kindsToTest } from '../../packages/server/src/features/messaging/kinds/conformance.testkit.ts'
import { destinationKinds } from '../../packages/server/src/features/messaging/kinds/index.ts'
import { openTestPool } from '../../packages/server/src/testkit/test-database.ts'
import { createTested } from './create-tested.testkit.ts'
import type { TestedDestination } from './tested-destination.testkit.ts'

// One process delivers to a destination of each kind. It is killed when all of them have stored their message, and
// before it knows of any. A fan-out and a destination by group have no server.

const all = await kindsToTest(destinationKinds)
const made = new Map<string, TestedDestination>()
const text = 'is repeated'
const hourMs = 3_600_000

let rig: DeliveryRig
beforeAll(async () => {
  const rootKey = randomBytes(32)
  rig = await startDeliveryRig({ rootKey })
  for (const tested of all) made.set(tested.label, await createTested(rig, tested, `killed-${tested.label}`))
  const destinations = [...made.values()]
  for (const to of destinations) await rig.post(to.name, to.bodyOf(text))
  const unanswered = await Promise.all(destinations.map((to) => to.storeUnanswered()))
  const stored = unanswered.map(({ kept }) => kept)
  const argument = JSON.stringify({
    url: rig.app.testDatabase.url,
    key: rootKey.toString('hex'),
    projectId: rig.app.projectId,
    destinationIds: destinations.map(({ id }) => id),
    timeoutMs: 80_000,
  })
  const script = new URL(
    '../../packages/server/src/features/messaging/delivery/testing/delivery-process.ts',
    import.meta.url,
  ).pathname
  const victim = spawn(process.execPath, ['--conditions=mortise-source', script, argument], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = once(victim, 'exit')
  await Promise.race([Promise.all(stored), ended.then(() => Promise.reject(new Error('the process has ended')))])
  victim.kill('SIGKILL')
  await ended
  // A statement of a killed process would go on as soon as nothing holds it.
  const pool = openTestPool(rig.app.testDatabase.url)
  await pool.query(`select pg_terminate_backend(pid, 10000) from pg_stat_activity
                     where datname = current_database() and application_name = 'delivery-process'`)
  await pool.end()
  for (const to of destinations) await to.answer()
  // The leases must not end while other kinds are tested.
  for (const { id } of destinations) await rig.pass(id, -hourMs)
}, 300_000)
afterAll(async () => {
  for (const to of made.values()) await to.stop()
  await rig?.app.stop()
})

describe.each(all)('$label', ({ label, harness }) => {
  it('gets a message again after a process died between its receipt and the settlement', async () => {
    const to = made.get(label) as TestedDestination
    const [posted] = await rig.messages(to.name)
    const expected = {
      id: harness.hasNoIds ? '' : posted?.id,
      body: JSON.stringify(to.bodyOf(text)),
    }
    expect(posted).toMatchObject({ state: 'pending', attempt: 0, leased: true })
    expect(await to.received()).toEqual([expected])
    expect(await rig.poll()).not.toContain(to.id)

    await rig.pass(to.id, hourMs + leaseSeconds * 1_000)
    expect(await rig.poll()).toContain(to.id)
    await rig.deliver(to.id)
    expect(await rig.messages(to.name)).toMatchObject([{ id: posted?.id, state: 'delivered', attempt: 1 }])
    expect(await to.received()).toEqual(harness.storesOnce ? [expected] : [expected, expected])
  })
})
