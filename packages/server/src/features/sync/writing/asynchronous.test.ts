import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestNode } from '../../../testkit/test-app.ts'
import { json, startWritingKit, type WriteBody, type WritingKit } from './writing.testkit.ts'

let kit: WritingKit
let receiver: WebhookReceiver
const patience = { timeout: 60_000, interval: 50 }

beforeAll(async () => {
  kit = await startWritingKit()
  receiver = await startWebhookReceiver({ storeBodies: true })
  const made = await kit.ok<{ id: string }>('POST', `${kit.project}/destinations`, {
    name: 'events',
    type: 'webhook',
    metadata: { url: receiver.url },
  })
  const { secrets } = await kit.ok<{ secrets: { webhookSigningKey: string } }>(
    'GET',
    `${kit.project}/destinations/events?includeSecrets=true`,
  )
  receiver.setSecret(secrets.webhookSigningKey)
  const { id: topicId } = await kit.ok<{ id: string }>('POST', `${kit.project}/topics`, { name: 'writes' })
  await kit.ok('POST', `${kit.project}/notification-event-topic-routes`, { topicId, eventType: 'write.async.done' })
  await kit.ok('POST', `${kit.project}/topic-destination-routes`, { topicId, destinationId: made.id })
})
afterAll(async () => {
  await kit?.stop()
  await receiver?.close()
})
beforeEach(() => kit.ledger.reset())

async function accepted(body: object, object?: string): Promise<string> {
  const answer = await kit.write({ type: 'create', mode: 'asynchronous', ...body }, object)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  expect(Object.keys(answer.body)).toEqual(['operationId'])
  return answer.body.operationId
}

async function ended(operationId: string) {
  await expect.poll(() => kit.operation(operationId), patience).not.toMatchObject({ status: 'in_progress' })
  return kit.operation(operationId)
}

/** The one event of an installation, as it is posted in the transaction that ends its write. */
async function eventOf(installationId: string): Promise<Record<string, unknown>> {
  const { rows } = await sql<{ payload: Buffer }>`
    select payload from messages where event_type = 'write.async.done' and installation_id = ${installationId}`.execute(
    kit.app.db.sql,
  )
  expect(rows).toHaveLength(1)
  return JSON.parse(rows[0]?.payload.toString() ?? '').data
}

describe('an asynchronous write', () => {
  it('is answered by its operation, done in the background, and told by a signed event', async () => {
    const { groupRef, installationId } = await kit.install()
    const operationId = await accepted({ groupRef, record: { email: 'a', telephone: '1' } })
    expect(await ended(operationId)).toMatchObject({
      status: 'success',
      result: '[contacts] 1 record created',
      metadata: { successfulRecordIds: [expect.any(String)] },
    })
    expect(kit.ledger.writes()).toMatchObject([{ body: { record: { email: 'a', phone: '1' } } }])
    const [id] = [...kit.ledger.records.keys()]
    expect(await eventOf(installationId)).toMatchObject({
      installationId,
      groupRef,
      provider: 'ledger',
      objectName: 'contacts',
      success: true,
      successfulRecordIds: [id],
    })
    await expect.poll(() => receiver.counters().verified, patience).toBe(1)
    expect(receiver.counters().refused).toBe(0)
    expect(receiver.bodies).toMatchObject([
      { notificationType: 'write.async.done', data: { installationId, success: true } },
    ])
    expect(await kit.left()).toEqual({ runs: 0, items: 0 })
  })

  it('of a batch that went partly wrong tells both what was written and what was not', async () => {
    const { groupRef, installationId } = await kit.install()
    const batch = ['a', 'bad', 'b', 'c', 'd'].map((email) => ({ record: { email } }))
    const operation = await ended(await accepted({ groupRef, batch }))
    expect(operation).toMatchObject({ status: 'success', result: 'Batch write completed (4 succeeded, 1 failed)' })
    expect(kit.ledger.writes()).toHaveLength(2)
    const event = await eventOf(installationId)
    expect(event).toMatchObject({ success: false, errors: ['The email is bad.'] })
    expect(event['successfulRecordIds']).toEqual(operation.metadata.successfulRecordIds)
    expect(event['successfulRecordIds']).toHaveLength(4)
  })

  it('that the provider refuses ends at once', async () => {
    const { groupRef, installationId } = await kit.install()
    const operation = await ended(await accepted({ groupRef, record: { email: 'bad' } }))
    expect(operation.status).toBe('failure')
    expect(kit.ledger.writes()).toHaveLength(1)
    const { success, errors, ...rest } = await eventOf(installationId)
    expect({ success, errors }).toEqual({ success: false, errors: [expect.stringContaining('The email is bad.')] })
    expect(rest).not.toHaveProperty('successfulRecordIds')
  })

  it.each([404, 409, 400])('that is answered %i is not sent again', async (status) => {
    const { groupRef } = await kit.install()
    kit.ledger.once((_, response) => json(response, status, { error: 'no' }))
    const operation = await ended(await accepted({ groupRef, type: 'update', record: { id: '1', email: 'a' } }))
    expect(operation.status).toBe('failure')
    expect(kit.ledger.writes()).toHaveLength(1)
    const logs = await kit.logs(operation.id)
    expect(logs).not.toContain('Waits')
    expect(JSON.parse(logs)[0].message.details).toMatchObject({ status: `${status}`, records: '1', written: '0' })
  })

  it('follows the one before it of the same object', async () => {
    const { groupRef } = await kit.install()
    kit.ledger.records.set('1', { id: '1' })
    const sent = []
    for (let count = 0; count < 10; count++) {
      const record = { id: '1', count }
      sent.push(await accepted({ groupRef, type: 'update', record }))
    }
    for (const id of sent) expect((await ended(id)).status).toBe('success')
    expect(kit.ledger.writes().map(({ body }) => (body?.['record'] as { count: number } | undefined)?.count)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ])
  })

  it('is encrypted while it waits, with the headers that go with it', async () => {
    const { groupRef, installationId } = await kit.install()
    kit.ledger.once((_, response) => json(response, 503, { error: 'later' }, { 'retry-after': '600' }))
    const headers = [{ key: 'X-Rule', value: 'whispered-rule' }]
    const operationId = await accepted({ groupRef, record: { email: 'whispered-name' }, headers })
    await expect.poll(() => kit.logs(operationId), patience).toContain('Waits 600 s')
    const { rows } = await sql<{ all: string }>`
      select concat((select string_agg(r::text, ' ') from write_runs r), (select string_agg(i::text, ' ') from write_items i),
        (select string_agg(j::text, ' ') from mortise_jobs.job j)) as all`.execute(kit.app.testDatabase.database.system)
    expect(rows[0]?.all).toContain(operationId)
    expect(rows[0]?.all).not.toContain('whispered')
    kit.app.clock.advance(601_000)
    expect((await ended(operationId)).status).toBe('success')
    expect(kit.ledger.writes().map(({ headers }) => headers['x-rule'])).toEqual(['whispered-rule', 'whispered-rule'])
    expect(await eventOf(installationId)).toMatchObject({ success: true })
  })
})

describe('a provider that is not well', () => {
  it('is asked again until it takes the write, which is then done once', async () => {
    const { groupRef, installationId } = await kit.install()
    kit.ledger.once(
      (_, response) => json(response, 503, { error: 'broken' }),
      (_, response) => json(response, 429, { error: 'too many' }, { 'retry-after': '1' }),
    )
    const operation = await ended(await accepted({ groupRef, record: { email: 'a' } }))
    expect(operation.status).toBe('success')
    expect(kit.ledger.writes()).toHaveLength(3)
    expect(kit.ledger.records.size).toBe(1)
    expect(await kit.logs(operation.id)).toMatch(/Waits \d+ s after an error of the provider/)
    expect(await eventOf(installationId)).toMatchObject({ success: true })
  })

  it.each([
    ['an hour', {}, 1],
    ['the hours that were asked for', { retryPolicy: { deadlineHours: 3 } }, 3],
  ])('is given up after %s', async (_, policy, hours) => {
    const { groupRef, installationId } = await kit.install()
    const broken = (_: unknown, response: Parameters<typeof json>[0]) => json(response, 500, { error: 'broken' })
    kit.ledger.once(...Array.from({ length: 50 }, () => broken))
    const operationId = await accepted({ groupRef, record: { email: 'a' }, ...policy })
    await expect.poll(() => kit.ledger.writes().length, patience).toBeGreaterThan(0)
    kit.app.clock.advance((hours - 0.1) * 3_600_000)
    const before = kit.ledger.writes().length
    await expect.poll(() => kit.ledger.writes().length, patience).toBeGreaterThan(before)
    expect(await kit.operation(operationId)).toMatchObject({ status: 'in_progress' })
    kit.app.clock.advance(0.1 * 3_600_000)
    expect(await ended(operationId)).toMatchObject({
      status: 'failure',
      result: expect.stringMatching(/^\[contacts\] Error writing to provider: /),
    })
    expect(await eventOf(installationId)).toMatchObject({ success: false, errors: [expect.any(String)] })
    expect(await kit.left()).toEqual({ runs: 0, items: 0 })
  })

  it.each([
    ['goes on after it', 601_000, 'success', 2],
    ['fails at its deadline', 3_601_000, 'failure', 1],
  ])('a write that meets a fault of the service waits and %s', async (_, faultMs, status, sent) => {
    const { groupRef, connectionId } = await kit.install()
    kit.ledger.once((_, response) => json(response, 503, { error: 'later' }, { 'retry-after': '600' }))
    const operationId = await accepted({ groupRef, record: { email: 'a' } })
    await expect.poll(() => kit.logs(operationId), patience).toContain('Waits 600 s')
    const change = async (value: RawBuilder<unknown>) => {
      await sql`update connection_credentials set encrypted = ${value} where connection_id = ${connectionId}`.execute(
        kit.app.db.sql,
      )
      kit.app.app.services.connectionHandles.forget(kit.app.projectId, connectionId)
    }
    await change(sql`'broken ' || encrypted`)
    kit.app.clock.advance(faultMs)
    if (status === 'success') {
      await expect.poll(() => kit.logs(operationId), patience).toContain('An unexpected error')
      expect(await kit.operation(operationId)).toMatchObject({ status: 'in_progress' })
      await change(sql`substr(encrypted, 8)`)
      kit.app.clock.advance(60_000)
    }
    expect(await ended(operationId)).toMatchObject({ status })
    expect(kit.ledger.writes()).toHaveLength(sent)
    expect(await kit.left()).toEqual({ runs: 0, items: 0 })
  })

  it('lets what was written of a batch stand, and gets the rest later', async () => {
    const { groupRef } = await kit.install()
    kit.ledger.once(kit.ledger.respond, (_, response) => json(response, 502, { error: 'gone' }))
    const batch = ['a', 'b', 'c', 'd', 'e'].map((email) => ({ record: { email } }))
    const operation = await ended(await accepted({ groupRef, batch }))
    expect(operation.result).toBe('Batch write completed (5 succeeded, 0 failed)')
    const sizes = kit.ledger.writes().map(({ body }) => (body?.['items'] as unknown[] | undefined)?.length)
    expect(sizes).toEqual([3, 2, 2])
    expect(kit.ledger.records.size).toBe(5)
  })
})

describe('when no answer comes', () => {
  const vanish = (_: unknown, response: { destroy(): unknown }) => response.destroy()

  it('a new record is not sent again: nobody knows whether it is there', async () => {
    const { groupRef, installationId } = await kit.install()
    kit.ledger.once(vanish)
    const operation = await ended(await accepted({ groupRef, record: { email: 'a' } }))
    expect(operation).toMatchObject({ status: 'failure', result: expect.stringContaining('is not known') })
    expect(kit.ledger.writes()).toHaveLength(1)
    expect((await eventOf(installationId))['errors']).toEqual([expect.stringContaining('is not known')])
  })

  it('a new record is sent again where the provider knows it by its key', async () => {
    const { groupRef } = await kit.install()
    kit.ledger.once(vanish)
    const operation = await ended(await accepted({ groupRef, record: { text: 'a' } }, 'notes'))
    expect(operation.status).toBe('success')
    const keys = kit.ledger.writes().map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual([operation.id, operation.id])
  })

  it('an update is sent again', async () => {
    const { groupRef } = await kit.install()
    kit.ledger.records.set('1', { id: '1' })
    kit.ledger.once(vanish)
    const operation = await ended(await accepted({ groupRef, type: 'update', record: { id: '1', email: 'b' } }))
    expect(operation.status).toBe('success')
    expect(kit.ledger.writes()).toHaveLength(2)
  })
})

describe('a holder that is gone', () => {
  /** Leaves a write as a process leaves it that was killed: held, and with nobody to say more. */
  async function killed(operationId: string, sending: boolean) {
    await sql`update write_runs set sending = ${sending}, fence = gen_random_uuid(), lease_until = now() - interval '1 s',
      next_attempt_at = now() - interval '1 hour' where operation_id = ${operationId}`.execute(kit.app.db.sql)
  }
  async function waiting(body: object, object?: string): Promise<string> {
    kit.ledger.once((_, response) => json(response, 503, {}, { 'retry-after': '1800' }))
    const operationId = await accepted(body, object)
    await expect.poll(() => kit.logs(operationId), patience).toContain('Waits 1800 s')
    await sql`update connections set rate_limited_until = null`.execute(kit.app.db.sql)
    kit.app.clock.advance(1_801_000)
    return operationId
  }

  it('before it sent a new record leaves it to the next one', async () => {
    const { groupRef } = await kit.install()
    const operationId = await waiting({ groupRef, record: { email: 'a' } })
    await killed(operationId, false)
    expect((await ended(operationId)).status).toBe('success')
    expect(kit.ledger.records.size).toBe(1)
  })

  it('holds nothing back while it lives', async () => {
    const { groupRef } = await kit.install()
    const hang = Promise.withResolvers<void>()
    kit.ledger.once(async (seen, response) => {
      await hang.promise
      kit.ledger.respond(seen, response)
    })
    const operationId = await accepted({ groupRef, record: { email: 'a' } })
    await expect.poll(() => kit.ledger.writes().length, patience).toBe(1)
    const node = await startTestNode(kit.app, { MORTISE_PROVIDERS_DIR: kit.providersDir })
    try {
      const second = await accepted({ groupRef, record: { email: 'b' } }, 'notes')
      expect((await ended(second)).status, 'other objects do not wait').toBe('success')
      expect(await kit.operation(operationId)).toMatchObject({ status: 'in_progress' })
      expect(kit.ledger.writes().filter(({ path }) => path === '/contacts')).toHaveLength(1)
      hang.resolve()
      expect((await ended(operationId)).status).toBe('success')
    } finally {
      await node.stop()
    }
  })

  it('of two nodes each write has one, whoever it is', async () => {
    const node = await startTestNode(kit.app, { MORTISE_PROVIDERS_DIR: kit.providersDir })
    try {
      const groups = await Promise.all([kit.install(), kit.install(), kit.install()])
      kit.ledger.reset()
      const bodies = groups.flatMap(({ groupRef }) =>
        Array.from({ length: 8 }, (_, at) => ({ groupRef, record: { email: `${groupRef}-${at}` } })),
      )
      const ids = await Promise.all(bodies.map((body) => accepted(body)))
      for (const id of ids) expect((await ended(id)).status).toBe('success')
      const emails = kit.ledger
        .writes()
        .map(({ body }) => String((body?.['record'] as { email: string } | undefined)?.email))
      expect(emails.toSorted()).toEqual(bodies.map(({ record }) => record.email).toSorted())
    } finally {
      await node.stop()
    }
  })
})

describe('writes that are gathered', () => {
  const gather = (groupRef: string, email: string, more: object = {}) =>
    accepted({ groupRef, record: { email }, autoBatchPolicy: { maxDelayMinutes: 10 }, ...more })

  it('share an operation, which is sent when the first of them has waited long enough', async () => {
    const { groupRef, installationId } = await kit.install()
    const first = await gather(groupRef, 'a')
    kit.app.clock.advance(5 * 60_000)
    const later = await Promise.all(['b', 'bad', 'c'].map((email) => gather(groupRef, email)))
    expect(later).toEqual([first, first, first])
    expect(await kit.operation(first)).toMatchObject({ status: 'in_progress' })
    expect(kit.ledger.writes()).toEqual([])
    kit.app.clock.advance(5 * 60_000)
    const operation = await ended(first)
    expect(operation).toMatchObject({ status: 'success', result: 'Batch write completed (3 succeeded, 1 failed)' })
    expect(await eventOf(installationId)).toMatchObject({ success: false, errors: ['The email is bad.'] })
    expect(await gather(groupRef, 'd'), 'what comes later is another operation').not.toBe(first)
    await kit.ok('DELETE', `${kit.project}/integrations/crm/installations/${installationId}`)
  })

  it('are sent at once when there are a hundred, each once, however many come at the same moment', async () => {
    const { groupRef } = await kit.install()
    const emails = Array.from({ length: 100 }, (_, at) => `gathered-${at}`)
    const ids = await Promise.all(emails.map((email) => gather(groupRef, email)))
    expect(new Set(ids).size).toBe(1)
    const operation = await ended(ids[0] ?? '')
    expect(operation.result).toBe('Batch write completed (100 succeeded, 0 failed)')
    const written = [...kit.ledger.records.values()].map((record) => record['email'])
    expect(written.toSorted()).toEqual(emails.toSorted())
  })

  it('differ by type and by the headers that go with them', async () => {
    const { groupRef, installationId } = await kit.install()
    const header = (value: string) => ({ headers: [{ key: 'X-Rule', value }] })
    const ids = [
      await gather(groupRef, 'a'),
      await gather(groupRef, 'b', header('one')),
      await gather(groupRef, 'c', header('two')),
      await gather(groupRef, 'd', { type: 'update', record: { id: '1' } }),
    ]
    expect(new Set(ids).size).toBe(4)
    expect(await gather(groupRef, 'e', header('one'))).toBe(ids[1])
    await kit.ok('DELETE', `${kit.project}/integrations/crm/installations/${installationId}`)
  })
})

it('an installation that is deleted takes its waiting writes along, and says so', async () => {
  const { groupRef, installationId } = await kit.install()
  const operationId = await accepted({ groupRef, record: { email: 'a' }, autoBatchPolicy: { maxDelayMinutes: 60 } })
  await kit.ok('DELETE', `${kit.project}/integrations/crm/installations/${installationId}`)
  expect(await kit.operation(operationId)).toMatchObject({
    status: 'failure',
    result: '[contacts] The installation was deleted.',
  })
  expect(await eventOf(installationId)).toMatchObject({ success: false, errors: ['The installation was deleted.'] })
  expect(await kit.left()).toEqual({ runs: 0, items: 0 })
  expect(kit.ledger.writes()).toEqual([])
})

it('a synchronous write whose process died ends as one that nobody knows of', async () => {
  const { groupRef } = await kit.install()
  const hang = Promise.withResolvers<void>()
  kit.ledger.once(async (_, response) => {
    await hang.promise
    response.destroy()
  })
  const answer = kit.write({ groupRef, type: 'create', record: { email: 'a' } })
  await expect.poll(() => kit.ledger.writes().length, patience).toBe(1)
  const { rows } = await sql<{ operation_id: string }>`
    update write_runs set lease_until = now() - interval '1 s', fence = gen_random_uuid(),
      next_attempt_at = now() - interval '1 hour' returning operation_id`.execute(kit.app.db.sql)
  const operation = await ended(rows[0]?.operation_id ?? '')
  expect(operation).toMatchObject({ status: 'failure', result: expect.stringContaining('is not known') })
  hang.resolve()
  expect((await answer).status).toBe(422)
  expect(((await answer).body as WriteBody).operationId).toBe(operation.id)
})
