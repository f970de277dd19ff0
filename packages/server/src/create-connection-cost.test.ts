import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type SampleCrm, startSampleCrm } from '../../../examples/sample-crm/src/index.ts'
import { startTestApp, type TestApp } from './testkit/test-app.ts'

const providers = resolve(import.meta.dirname, '../../../examples/sample-crm/providers')
/** What one request may send. `begin` and `commit` count, and so does each setting that is not in the same packet. */
const statementsMax = 5

let app: TestApp
let crm: SampleCrm
let ref: string
let key: string
beforeAll(async () => {
  crm = await startSampleCrm({ contacts: 1, rateLimit: 0 })
  // Without workers: nothing but requests sends statements.
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: providers, MORTISE_ROLES: 'api' } })
})
afterAll(async () => {
  await app?.stop()
  await crm?.close()
})
beforeEach(() => {
  ref = randomUUID()
  key = randomUUID()
})

const path = '/projects/default/connections:generate'
const body = (more: object = {}) => ({
  groupRef: ref,
  groupName: 'Analytical Engines',
  consumerRef: ref,
  consumerName: 'Ada',
  provider: 'sampleCrm',
  apiKey: `secret-${ref}`,
  providerMetadata: { url: crm.url },
  ...more,
})
interface Created {
  id: string
  createTime: string
  group: { groupRef: string; groupName: string }
  consumer: { consumerRef: string; consumerName: string }
}
const create = (more: object = {}, headers: Record<string, string> = { 'idempotency-key': key }) =>
  app.call<Created>('POST', path, body(more), { headers })

/** The same request in this process, so that its statements are known. */
const inject = async (more: object, idempotencyKey: string) => {
  const answer = await app.app.http.inject({
    method: 'POST',
    url: `/v1${path}`,
    headers: { 'x-api-key': app.apiKey, 'idempotency-key': idempotencyKey },
    payload: body(more),
  })
  return { status: answer.statusCode, body: answer.json<Created>() }
}

const recording = new AsyncLocalStorage<string[]>()
const { query } = pg.Client.prototype

/** Returns the statements that requests cause, but not those of the background. */
async function sent(work: () => Promise<unknown>): Promise<string[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [first] = args
    recording.getStore()?.push(typeof first === 'string' ? first : (first as { text: string }).text)
    return (query as (...args: unknown[]) => unknown).apply(this, args) as never
  })
  const texts: string[] = []
  try {
    await recording.run(texts, work)
  } finally {
    spy.mockRestore()
  }
  return texts
}

const rowsOf = async (table: string, where: string) =>
  (
    await sql
      .raw<Record<string, unknown>>(`select * from ${table} where ${where}`)
      .execute(app.testDatabase.database.system)
  ).rows

describe('a request that creates a connection', () => {
  it('sends at most five statements, with its Idempotency-Key', async () => {
    // What is looked up once: the API key, and how the queue inserts jobs.
    await create({ groupRef: 'first' }, {})
    const texts = await sent(async () => expect((await inject({}, key)).status).toBe(201))
    expect(texts.length, texts.join('\n')).toBeGreaterThan(0)
    expect(texts.length, texts.join('\n')).toBeLessThanOrEqual(statementsMax)
  })

  it('stores the connection, its group and consumer, its encrypted credential and one job', async () => {
    const { body: created } = await create()
    expect(created).toMatchObject({
      group: { groupRef: ref, groupName: 'Analytical Engines' },
      consumer: { consumerRef: ref, consumerName: 'Ada' },
    })
    expect(await rowsOf('connections', `id = '${created.id}'`)).toMatchObject([
      { project_id: app.projectId, status: 'created', group_ref: ref, consumer_ref: ref },
    ])
    const [credential, ...others] = await rowsOf('connection_credentials', `connection_id = '${created.id}'`)
    expect(others).toEqual([])
    expect(credential?.['encrypted']).toMatch(/^v1\./)
    expect(JSON.stringify(credential)).not.toContain(ref)
    expect(await rowsOf('mortise_jobs.job', `singleton_key = '${created.id}'`)).toMatchObject([
      {
        name: 'connections.verify',
        data: { projectId: app.projectId, connectionId: created.id },
        group_id: created.id,
      },
    ])
  })

  it('shares its statements with requests at the same time, each with its own answer', async () => {
    const refs = Array.from({ length: 40 }, () => randomUUID())
    const answers: { status: number; body: Created }[] = []
    const texts = await sent(async () => {
      answers.push(...(await Promise.all(refs.map((one) => inject({ groupRef: one, consumerRef: one }, one)))))
    })
    expect(answers.map(({ status, body: { group } }) => [status, group.groupRef])).toEqual(
      refs.map((one) => [201, one]),
    )
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(refs.length)
    expect(texts.length).toBeLessThan(2 * refs.length)
  })

  it('connects people of one group at the same time, and one account twice', async () => {
    const people = Array.from({ length: 10 }, () => randomUUID())
    const answers = await Promise.all(
      [...people, ...people].map((one) => create({ consumerRef: one }, { 'idempotency-key': randomUUID() })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201))
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(people.length)
    expect(await rowsOf('connections', `group_ref = '${ref}'`)).toHaveLength(people.length)
  })

  it('fails alone when the database refuses its connection', async () => {
    const owner = new pg.Client(app.testDatabase.url)
    await owner.connect()
    try {
      await owner.query(`alter table mortise.connections add constraint away check (provider_workspace_ref <> 'away')`)
      const answers = await Promise.all(
        ['here', 'away', 'there'].map((one) =>
          create({ consumerRef: `${ref} ${one}`, providerWorkspaceRef: one }, { 'idempotency-key': `${key}-${one}` }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual([201, 500, 201])
    } finally {
      await owner.query('alter table mortise.connections drop constraint away')
      await owner.end()
    }
  })

  it('is notified of by an event, when the project routes it', async () => {
    const call = async (method: string, to: string, sentBody: object) => {
      const { status, body: answer } = await app.call<{ id: string }>(method, `/projects/default/${to}`, sentBody)
      expect(status, JSON.stringify(answer)).toBe(201)
      return answer.id
    }
    const destinationId = await call('POST', 'destinations', {
      name: 'hook',
      type: 'webhook',
      metadata: { url: 'http://127.0.0.1:4999/' },
    })
    const topicId = await call('POST', 'topics', { name: 'connections' })
    const route = await call('POST', 'notification-event-topic-routes', { eventType: 'connection.created', topicId })
    await call('POST', 'topic-destination-routes', { topicId, destinationId })
    const { body: created } = await create()
    const messages = await rowsOf('messages', `event_type = 'connection.created'`)
    expect(messages).toHaveLength(1)
    expect(String(messages[0]?.['payload'])).toContain(created.id)
    await app.call('DELETE', `/projects/default/notification-event-topic-routes/${route}`)
  })

  it('does not see or change what another project has under the same names', async () => {
    const theirs = await app.call<Created>('POST', '/projects/other/connections:generate', body(), {
      apiKey: app.otherProject.apiKey,
    })
    const { body: ours } = await create({ groupName: 'Ours' })
    expect(theirs.status).toBe(201)
    expect(ours.id).not.toBe(theirs.body.id)
    const names = (await rowsOf('groups', `group_ref = '${ref}'`)).map((row) => row['group_name'])
    expect(names.toSorted()).toEqual(['Analytical Engines', 'Ours'])
  })

  it('names its group as the first request did, until another name comes', async () => {
    await create({ consumerRef: 'a' })
    const unnamed = await create({ consumerRef: 'b', groupName: undefined }, {})
    const renamed = await create({ consumerRef: 'c', groupName: 'Difference Engines' }, {})
    expect([unnamed.body.group.groupName, renamed.body.group.groupName]).toEqual([
      'Analytical Engines',
      'Difference Engines',
    ])
  })
})
