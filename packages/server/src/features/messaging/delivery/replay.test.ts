import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import type { MessageAttempt, MessageReplay } from '../messages/index.ts'
import { pollReplays, replay } from '../messages/index.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'

let rig: DeliveryRig
let receiver: WebhookReceiver
const seen: string[] = []
let status = 204
beforeAll(async () => {
  rig = await startDeliveryRig()
  receiver = await startWebhookReceiver({
    respond: ({ id = '' }) => {
      seen.push(id)
      return { status }
    },
  })
})
afterAll(async () => {
  await receiver?.close()
  await rig?.app.stop()
})

const path = '/projects/default/messages:replay'
const get = async (id: string) =>
  (await rig.app.call<MessageReplay>('GET', `/projects/default/message-replays/${id}`)).body

/** Asks for a replay and works it off, as the queue would. */
async function run(body: unknown): Promise<MessageReplay> {
  const answer = await rig.app.call<MessageReplay>('POST', path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(202)
  expect(answer.body).toMatchObject({ status: 'in_progress', matched: 0, requeued: 0 })
  await work(answer.body.id)
  return get(answer.body.id)
}
const work = (replayId: string) =>
  replay(rig.app.app.services, { projectId: rig.app.projectId, replayId, signal: new AbortController().signal })

async function target() {
  const destination = await rig.create(receiver.url)
  receiver.setSecret(destination.secret)
  return destination
}
const ids = async (name: string) => (await rig.messages(name)).map(({ id }) => id)

/** Messages to a new destination in these states. */
async function posted(...states: string[]) {
  const destination = await target()
  await rig.post(destination.name, ...states.map(() => ({})))
  const all = await ids(destination.name)
  for (const [n, id] of all.entries())
    await sql`update messages set state = ${states[n]}, end_time = case when ${states[n]} <> 'pending' then now() end where id = ${id}`.execute(
      rig.app.db.sql,
    )
  return { destination, all }
}
const statesOf = async (name: string) => (await rig.messages(name)).map(({ state }) => state)

describe('a replay', () => {
  it('by id sends delivered and failed messages again under their ids, and skips pending and missing ones', async () => {
    const { destination, all } = await posted('delivered', 'failed', 'pending')
    const done = await run({ messageIds: [...all, all[0], newId()] })
    expect(done).toMatchObject({ status: 'done', matched: 3, requeued: 2, skipped: 1, missing: 1 })
    expect(done.doneTime).toEqual(expect.any(String))
    seen.length = 0
    await rig.deliver(destination.id)
    expect(seen.toSorted()).toEqual(all)
    expect(await statesOf(destination.name)).toEqual(['delivered', 'delivered', 'delivered'])
  })

  it('continues to count attempts, and begins the retry schedule again', async () => {
    const destination = await target()
    status = 500
    await rig.post(destination.name, {})
    for (let n = 0; n < 8; n++) {
      await rig.deliver(destination.id)
      await rig.pass(destination.id, 15 * 3_600_000)
    }
    expect(await rig.messages(destination.name)).toMatchObject([{ state: 'failed', attempt: 8 }])
    const [id = ''] = await ids(destination.name)
    await run({ failedOf: destination.name })
    for (let n = 0; n < 2; n++) {
      await rig.deliver(destination.id)
      await rig.pass(destination.id, 4_000)
    }
    const [message] = await rig.messages(destination.name)
    // The first wait: five seconds, of which four have passed.
    expect(message).toMatchObject({ id, state: 'pending', attempt: 9 })
    expect(message?.dueInMs).toBeLessThan(2_500)
    status = 204
    await rig.app.call('POST', `/projects/default/destinations/${destination.id}:enable`)
    await rig.pass(destination.id, 10_000)
    await rig.deliver(destination.id)
    const attempts = await rig.app.call<MessageAttempt[]>('GET', `/projects/default/messages/${id}/attempts`)
    expect(attempts.body.map(({ number, status }) => [number, status])).toEqual([
      ...Array.from({ length: 9 }, (_, n) => [n + 1, 500]),
      [10, 204],
    ])
  })

  it('by range takes what failed in that time, and what was delivered when asked for', async () => {
    const from = new Date().toISOString()
    const { destination, all } = await posted('delivered', 'failed', 'pending')
    const other = await posted('failed')
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(from) + 50)
    const to = new Date(Date.now() + 1_000).toISOString()
    const before = { from: '2026-01-01T00:00:00Z', to: from }
    expect(await run({ range: { ...before, destination: destination.id } })).toMatchObject({ matched: 0, requeued: 0 })
    expect(await run({ range: { from, to, destination: destination.name } })).toMatchObject({ matched: 1, requeued: 1 })
    expect(await statesOf(destination.name)).toEqual(['delivered', 'pending', 'pending'])
    expect(await statesOf(other.destination.name)).toEqual(['failed'])
    const states = ['delivered', 'failed']
    expect(await run({ range: { from, to, states } })).toMatchObject({ matched: 2, requeued: 2 })
    expect(await statesOf(destination.name)).toEqual(['pending', 'pending', 'pending'])
    expect(await ids(destination.name)).toEqual(all)
  })

  it('touches nothing of another project', async () => {
    const { destination, all } = await posted('failed')
    const { id: project, apiKey } = rig.app.otherProject
    const answer = await rig.app.call<MessageReplay>(
      'POST',
      `/projects/${project}/messages:replay`,
      { messageIds: all },
      { apiKey },
    )
    expect(answer.status).toBe(202)
    await replay(rig.app.app.services, {
      projectId: project,
      replayId: answer.body.id,
      signal: new AbortController().signal,
    })
    const theirs = await rig.app.call('GET', `/projects/${project}/message-replays/${answer.body.id}`, undefined, {
      apiKey,
    })
    expect(theirs.body).toMatchObject({ status: 'done', matched: 0, requeued: 0, missing: 1 })
    expect(await statesOf(destination.name)).toEqual(['failed'])
    for (const id of [answer.body.id, newId(), 'no-id'])
      expect((await rig.app.call('GET', `/projects/default/message-replays/${id}`)).status).toBe(404)
  })

  it.each([
    ['nothing', {}, ['body']],
    ['two ways', { messageIds: [newId()], failedOf: 'x' }, ['body']],
    ['no ids', { messageIds: [] }, ['messageIds']],
    ['what are no ids', { messageIds: [newId(), 'a', 'b'] }, ['messageIds[1]', 'messageIds[2]']],
    ['too many ids', { messageIds: Array.from({ length: 1_001 }, () => newId()) }, ['messageIds']],
    ['an unknown destination', { failedOf: 'nobody' }, ['failedOf']],
    [
      'a range that is all wrong',
      { range: { destination: 'nobody', from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' } },
      ['range.destination', 'range.to'],
    ],
    ['a range without an end', { range: { from: '2026-01-02T00:00:00Z' } }, ['range.to']],
    [
      'pending ones',
      { range: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', states: ['pending'] } },
      ['range.states[0]'],
    ],
  ])('of %s is refused', async (_, body, names) => {
    const answer = await rig.app.call<{ issues: { name: string }[] }>('POST', path, body)
    expect(answer.status).toBe(400)
    expect(answer.body.issues.map(({ name }) => name)).toEqual(names)
  })

  it('that nobody works on is found', async () => {
    const { destination } = await posted('failed')
    const { body } = await rig.app.call<MessageReplay>('POST', path, { failedOf: destination.id })
    const found: string[] = []
    const queue = {
      enqueueAll: async (_: unknown, __: unknown, items: { key?: string }[]) =>
        void found.push(...items.map(({ key = '' }) => key)),
    }
    await pollReplays({ database: rig.app.app.services.database, queue: queue as never })
    expect(found).toContain(body.id)
    await work(body.id)
    found.length = 0
    await pollReplays({ database: rig.app.app.services.database, queue: queue as never })
    expect(found).not.toContain(body.id)
  })
})

it('recovers ten thousand failed messages, each once, though its process is killed again and again', async () => {
  const destination = await target()
  const total = 10_000
  const all = Array.from({ length: total }, () => newId())
  await sql`
    insert into messages (project_id, id, destination_id, destination_name, kind, state, attempt, payload, payload_bytes, end_time)
    select ${rig.app.projectId}, id, ${destination.id}, ${destination.name}, 'read', 'failed', 8, '{}', 2, now()
      from unnest(${all}::uuid[]) id`.execute(rig.app.db.sql)
  const { body } = await rig.app.call<MessageReplay>('POST', path, { failedOf: destination.id })
  const script = new URL('../messages/testing/replay-process.ts', import.meta.url).pathname
  const requeuedAtKills: number[] = []
  for (let killed = 0; killed <= 5; killed++) {
    const argument = JSON.stringify({
      url: rig.app.testDatabase.url,
      projectId: rig.app.projectId,
      replayId: body.id,
      ...(killed < 5 && { killedAfter: 3 }),
    })
    const victim = spawn(process.execPath, ['--conditions=mortise-source', script, argument], { stdio: 'inherit' })
    await once(victim, 'exit')
    expect([victim.exitCode, victim.signalCode]).toEqual(killed < 5 ? [null, 'SIGKILL'] : [0, null])
    requeuedAtKills.push((await get(body.id)).requeued)
  }
  const done = await get(body.id)
  expect(done).toMatchObject({ status: 'done', matched: total, requeued: total, skipped: 0, missing: 0 })
  // Each process went on where the one before had ended.
  expect(requeuedAtKills.slice(0, 5).every((n, at) => n >= 1_500 * (at + 1) && n < total)).toBe(true)
  const { rows } = await sql`
    select state, schedule_from, count(*)::int as n from messages where destination_id = ${destination.id} group by 1, 2`.execute(
    rig.app.db.sql,
  )
  expect(rows).toEqual([{ state: 'pending', schedule_from: 8, n: total }])
}, 120_000)
