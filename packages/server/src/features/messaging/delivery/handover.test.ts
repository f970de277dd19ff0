import { type Answer, startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { type HandoverRun, postMessagesWith } from '../messages/index.ts'
import { leaseSeconds } from './delivery-rules.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'

let rig: DeliveryRig
const receivers: WebhookReceiver[] = []
beforeAll(async () => {
  rig = await startDeliveryRig()
})
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()))
})
afterAll(() => rig?.app.stop())

/** A destination whose receiver answers nothing until `answer` is called. */
async function waiting() {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const receiver = await startWebhookReceiver({ storeBodies: true, respond: () => promise })
  receivers.push(receiver)
  const destination = await rig.create(receiver.url)
  receiver.setSecret(destination.secret)
  return { receiver, destination, answer: () => resolve({ status: 204 }) }
}

/** A delivery run that has sent one message and waits for its answer. */
async function running() {
  const { receiver, destination, answer } = await waiting()
  await rig.post(destination.name, { n: -1 })
  const run = rig.deliver(destination.id)
  await vi.waitFor(() => expect(receiver.counters().requests).toBe(1))
  return { receiver, destination, answer, run }
}

let posted = 0
function post(destinationName: string, count = 1, change: RawBuilder<unknown> = sql`select 1`): Promise<boolean> {
  const messages = Array.from({ length: count }, () => ({
    destinationName,
    kind: 'read' as const,
    payload: Buffer.from(JSON.stringify({ n: posted++ })),
  }))
  return postMessagesWith(rig.app.db, rig.app.app.services, change, { destinationName, messages })
}

/** Adds a run to the handover that never sends what it takes over, as one whose process is killed. */
function addDeadRun(destinationName: string, destinationId: string) {
  const run: HandoverRun = {
    reserve: () => ({ destinationId, token: newId(), leaseSeconds, end: () => undefined }),
    claimAgain: () => undefined,
  }
  return rig.app.app.services.handover.add(rig.app.projectId, destinationName, run)
}

const numbersIn = ({ bodies }: WebhookReceiver) => bodies.map((body) => (body as { n: number }).n)

it('a run takes over what is posted meanwhile, sends it without a claim, and settles it', async () => {
  const { receiver, destination, answer, run } = await running()
  expect(await post(destination.name, 3)).toBe(true)
  expect((await rig.messages(destination.name)).map(({ leased }) => leased)).toEqual([true, true, true, true])
  await vi.waitFor(() => expect(receiver.counters().requests).toBe(4))
  answer()
  expect(await run).toBe(false)
  const delivered = expect.objectContaining({ state: 'delivered', attempt: 1, leased: false })
  expect(await rig.messages(destination.name)).toEqual([delivered, delivered, delivered, delivered])
  expect(receiver.counters()).toMatchObject({ requests: 4, verified: 4 })
  expect(await rig.attempts(destination.id)).toHaveLength(4)
})

it('what a run has no room for waits in the database, and the run claims it later', async () => {
  const { receiver, destination, answer, run } = await running()
  for (let times = 0; times < 3; times++) await post(destination.name, 120)
  const leased = (await rig.messages(destination.name)).filter((message) => message.leased)
  expect(leased).toHaveLength(121)
  answer()
  expect(await run).toBe(false)
  expect(new Set(numbersIn(receiver)).size).toBe(361)
  expect(receiver.counters().requests).toBe(361)
})

it('without a run, a job is enqueued, and the next run claims the message', async () => {
  const { receiver, destination, answer } = await waiting()
  answer()
  await post(destination.name)
  expect(await rig.messages(destination.name)).toMatchObject([{ leased: false, state: 'pending' }])
  const { rows } = await sql<{ count: number }>`
    select count(*)::int from mortise_jobs.job where singleton_key = ${destination.id}`.execute(
    rig.app.app.services.database.system,
  )
  expect(rows).toEqual([{ count: 1 }])
  await rig.deliver(destination.id)
  expect(receiver.counters().requests).toBe(1)
})

it('nothing is posted or sent if the row to change no longer exists', async () => {
  const { receiver, destination, answer, run } = await running()
  expect(await post(destination.name, 2, sql`select 1 where false`)).toBe(false)
  answer()
  expect(await run).toBe(false)
  expect(await rig.messages(destination.name)).toHaveLength(1)
  expect(receiver.counters().requests).toBe(1)
})

it('a statement that fails leaves nothing reserved: the run ends', async () => {
  const { destination, answer, run } = await running()
  await expect(post(destination.name, 1, sql`select 1 / 0`)).rejects.toThrow('division by zero')
  answer()
  expect(await run).toBe(false)
  expect(await rig.messages(destination.name)).toHaveLength(1)
})

it('a run takes nothing over for a destination that was disabled meanwhile', async () => {
  const { receiver, destination, answer, run } = await running()
  await sql`update destinations set disabled_time = now() where id = ${destination.id}`.execute(rig.app.db.sql)
  await post(destination.name)
  expect((await rig.messages(destination.name)).map(({ leased }) => leased)).toEqual([true, false])
  answer()
  await run
  expect(receiver.counters().requests).toBe(1)
})

it('a run takes nothing over for another destination that has its name now', async () => {
  const { destination, answer } = await waiting()
  answer()
  const dead = addDeadRun(destination.name, newId())
  await post(destination.name)
  dead?.remove()
  expect(await rig.messages(destination.name)).toMatchObject([{ leased: false }])
})

it('what a run took over before its process died is sent when its lease ends', async () => {
  const { receiver, destination, answer } = await waiting()
  answer()
  const dead = addDeadRun(destination.name, destination.id)
  await post(destination.name, 2)
  dead?.remove()
  await rig.deliver(destination.id)
  expect(receiver.counters().requests).toBe(0)
  await rig.pass(destination.id, leaseSeconds * 1_000)
  expect(await rig.poll()).toContain(destination.id)
  await rig.deliver(destination.id)
  expect(receiver.counters().requests).toBe(2)
})
