import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Answer, startServer, type TestServer } from '../../../../../providers/src/testing/http-server.testkit.ts'
import type { ProblemBody } from '../../../testkit/installation-kit.ts'
import { createSigner } from '../../../testkit/test-consumer.ts'
import { type ReadingKit, rarely, startReadingKit } from './reading.testkit.ts'

/** A preview shows records exactly as messages deliver them, before anything is installed, and stores nothing. */

interface Preview extends ProblemBody {
  objectName: string
  records: { fields: object; mappedFields?: object; raw: Record<string, unknown> }[]
  isComplete: boolean
}

let kit: ReadingKit
let odd: TestServer
let answers: Answer[] = []
let groups = 0
let groupRef = ''
let connectionId = ''
let integrationId = ''
beforeAll(async () => {
  kit = await startReadingKit()
  // The check of a new connection asks for /me.
  odd = await startServer(({ url }) =>
    url.pathname === '/contacts' ? (answers.shift() ?? { status: 500 }) : { body: {} },
  )
  const contacts = {
    objectName: 'contacts',
    mapToName: 'people',
    destination: 'hook',
    schedule: rarely,
    requiredFields: [{ fieldName: 'email' }, { fieldName: 'phone', mapToName: 'telephone' }],
    optionalFields: [{ fieldName: 'score' }, { mapToName: 'level', prompt: 'Which?' }],
    optionalFieldsAuto: 'all',
  }
  const companies = { objectName: 'companies', destination: 'hook', schedule: rarely, optionalFieldsAuto: 'all' }
  const integrations = [
    { name: 'shown', provider: 'sampleCrm', read: { objects: [contacts, companies] } },
    { name: 'other', provider: 'sampleCrm', read: { objects: [contacts] } },
  ]
  const deployed = await kit.app.call<{ id: string; name: string }[]>('PUT', '/projects/default/integrations:batch', {
    sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations }),
  })
  expect(deployed.status, JSON.stringify(deployed.body)).toBe(200)
  integrationId = (await kit.app.call<{ id: string }>('GET', '/projects/default/integrations/shown')).body.id
}, 60_000)
afterAll(async () => {
  await kit?.stop()
  await odd?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  groupRef = `shown-${++groups}`
  connectionId = await connect(groupRef)
  answers = []
  odd.seen.length = 0
})

const asked = () => odd.seen.filter(({ url }) => url.pathname === '/contacts')

async function connect(group: string, url = kit.crm.url, apiKey = kit.crm.apiKey): Promise<string> {
  const account = { provider: 'sampleCrm', apiKey, providerMetadata: { url } }
  const body = { groupRef: group, consumerRef: 'ada', ...account }
  const answer = await kit.app.call<{ id: string }>('POST', '/projects/default/connections:generate', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.id
}

const path = (name = 'shown') => `/projects/default/integrations/${name}:preview`
const contentOf = (objects: object) => ({ provider: 'sampleCrm', read: { objects } })
const bodyOf = (contacts: object = {}) => ({ connectionId, objectName: 'contacts', content: contentOf({ contacts }) })
type Options = Parameters<ReadingKit['app']['call']>[3]
const preview = (body: unknown = bodyOf(), options?: Options) => kit.app.call<Preview>('POST', path(), body, options)

async function shown(body: unknown = bodyOf()): Promise<Preview> {
  const answer = await preview(body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

/** What messages delivered of these records. */
async function delivered(installationId: string, ids: unknown[]): Promise<unknown[]> {
  return await kit.until(async () => {
    const bodies = kit.receiver.bodies as { installationId: string; result: { raw: { id: string } }[] }[]
    const entries = bodies.filter((one) => one.installationId === installationId).flatMap(({ result }) => result)
    const found = ids.map((id) => entries.find(({ raw }) => raw.id === id))
    return found.every(Boolean) && found
  })
}

describe('the records of a preview', () => {
  it.each([
    ['of required fields', {}],
    ['of every field', { selectedFieldsAuto: 'all' }],
    ['of a chosen field and of the workspace’s own', { selectedFields: { score: true, cf_priority: true } }],
    [
      'with mapped values',
      { selectedFieldMappings: { level: 'stage' }, selectedValueMappings: { stage: { new: 'lead', won: 'customer' } } },
    ],
    ['with nested names', { selectedFieldMappings: { "$['deep']['tag']": "$['custom_fields']['cf_priority']" } }],
  ])('are those of messages: %s', async (_, config) => {
    const { objectName, records, isComplete } = await shown(bodyOf(config))
    expect([objectName, records.length, isComplete]).toEqual(['contacts', 5, false])
    const backfill = { defaultPeriod: { fullHistory: true } }
    const installed = await kit.app.call<{ id: string }>('POST', '/projects/default/integrations/shown/installations', {
      groupRef,
      connectionId,
      config: { content: contentOf({ contacts: { ...config, backfill } }) },
    })
    expect(installed.status, JSON.stringify(installed.body)).toBe(201)
    const ids = records.map(({ raw }) => raw['id'])
    expect(records).toEqual(await delivered(installed.body.id, ids))
    await kit.app.call('DELETE', `/projects/default/integrations/shown/installations/${installed.body.id}`)
  })

  it('leave nothing behind, also with an Idempotency-Key', async () => {
    await kit.quiet()
    const tables = [
      'operations',
      'messages',
      'read_states',
      'read_runs',
      'installations',
      'configs',
      'idempotency_keys',
    ]
    const count = async (name: string) => {
      const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(name)}`.execute(
        kit.app.testDatabase.database.system,
      )
      return rows[0]?.n
    }
    const before = await Promise.all(tables.map(count))
    const answer = await preview(bodyOf(), { headers: { 'idempotency-key': 'the-same' } })
    expect(answer.status).toBe(200)
    const again = await preview({ ...bodyOf(), objectName: 'nothing' }, { headers: { 'idempotency-key': 'the-same' } })
    expect(again.status).toBe(422)
    expect(await Promise.all(tables.map(count))).toEqual(before)
  })

  it('are not in the log', async () => {
    const { records } = await shown(bodyOf({ selectedFieldsAuto: 'all' }))
    const email = String(records[0]?.raw['email'])
    expect(email).toContain('@')
    connectionId = await connect(groupRef, odd.origin)
    const cut = '{"data":[{"email":"private@example.com","na'
    answers = [{ headers: { 'content-type': 'application/json' }, body: cut }]
    expect((await preview()).body.context.code).toBe('provider-answer-unexpected')
    const log = kit.app.logs.join('\n')
    expect(log).toContain('provider-answer-unexpected')
    expect(log).not.toContain(email)
    expect(log).not.toContain('private@example.com')
  })

  it('keep a field of any name', async () => {
    connectionId = await connect(groupRef, odd.origin)
    const record = '{"id":"1","__proto__":{"polluted":true},"constructor":"x","email":"<b>&\\u0000"}'
    answers = [{ headers: { 'content-type': 'application/json' }, body: `{"data":[${record}],"next_cursor":null}` }]
    const { records } = await shown(bodyOf({ selectedFieldsAuto: 'all' }))
    expect(JSON.stringify(records[0]?.raw)).toBe(JSON.stringify(JSON.parse(record)))
    expect(records[0]?.fields).toMatchObject({ constructor: 'x', email: '<b>&\u0000' })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('pages of the provider', () => {
  const page = (ids: number[], next?: string): Answer => ({
    body: { data: ids.map((id) => ({ id: String(id), email: `${id}@example.com` })), next_cursor: next ?? null },
  })
  beforeEach(async () => {
    connectionId = await connect(groupRef, odd.origin)
  })

  it.each([
    ['five records', [page([1, 2, 3, 4, 5])], 5, true],
    ['six records', [page([1, 2, 3, 4, 5, 6])], 5, false],
    ['five records and another page', [page([1, 2, 3, 4, 5], 'a'), page([6])], 5, false],
    ['five records and an empty page', [page([1, 2, 3, 4, 5], 'a'), page([])], 5, true],
    ['a page larger than requested', [page(Array.from({ length: 300 }, (_, at) => at))], 5, false],
    ['no records', [page([])], 0, true],
    ['an empty page before records', [page([], 'a'), page([], 'b'), page([1, 2])], 2, true],
    ['empty pages without end', 'abcdefghij'.split('').map((next) => page([], next)), 0, false],
  ])('%s', async (_, pages, count, isComplete) => {
    answers = pages
    const body = await shown()
    expect([body.records.length, body.isComplete]).toEqual([count, isComplete])
    expect(asked().length).toBeLessThanOrEqual(5)
    // One record more than it shows: it says whether there are more.
    for (const { url } of asked()) expect(url.searchParams.get('limit')).toBe('6')
  })

  it('a failure of the provider is not sent again', async () => {
    answers = [{ status: 503, headers: { 'retry-after': '1' }, body: {} }]
    const answer = await preview()
    expect([answer.status, answer.body.context.code]).toEqual([502, 'provider-unavailable'])
    expect(asked()).toHaveLength(1)
  })

  it('a refused credential moves the status of the connection', async () => {
    const statusOf = async () =>
      (await kit.app.call<{ status: string }>('GET', `/projects/default/connections/${connectionId}`)).body.status
    // The account was connected twice. A check that ends later would find that the credential works.
    await kit.until(async () => {
      const { rows } = await sql`
        select from mortise_jobs.job where name = 'connections.verify' and state < 'completed'`.execute(
        kit.app.testDatabase.database.system,
      )
      return rows.length === 0
    })
    expect(await statusOf()).toBe('working')
    answers = [{ status: 401, body: { error: { message: 'The key has expired' } } }]
    const answer = await preview()
    expect([answer.status, answer.body.context.code]).toEqual([422, 'provider-credentials-refused'])
    expect(await statusOf()).toBe('bad_credentials')
  })
})

describe('a request that does not fit', () => {
  it('names all issues together', async () => {
    const { status, body } = await preview({
      connectionId: '019a8f00-0000-7000-8000-000000000001',
      objectName: 'contact',
      content: {
        provider: 'hubspot',
        read: {
          objects: {
            contact: {},
            contacts: { schedule: '* * * * * *' },
            companies: { schedule: 'never', selectedFieldsAuto: 'all' },
          },
        },
      },
    })
    expect([status, body.issues.map(({ name }) => name)]).toEqual([
      400,
      [
        'connectionId',
        'objectName',
        'content.provider',
        'content.read.objects.contact',
        'content.read.objects.contacts.schedule',
        'content.read.objects.companies.schedule',
      ],
    ])
    expect(body.issues[1]?.remedy).toBe('Did you mean "contacts"?')
  })

  it('is a 422 if the integration does not allow the config', async () => {
    const unread = await preview({ ...bodyOf(), objectName: 'companies' })
    expect([unread.status, unread.body.issues]).toMatchObject([
      422,
      [{ name: 'objectName', detail: 'The config does not read this object.' }],
    ])
    const always = await preview({ ...bodyOf({ selectedFields: { emial: true } }), objectName: 'toString' })
    expect(always.status).toBe(422)
  })

  it('also with a body that violates the schema', async () => {
    const { status, body } = await preview({
      connectionId: 7,
      objectName: '',
      content: contentOf({ contacts: { schedule: 'never' } }),
    })
    expect([status, body.issues.map(({ name }) => name)]).toEqual([
      400,
      ['connectionId', 'objectName', 'content.read.objects.contacts.schedule'],
    ])
  })

  it.each([
    ['', 400],
    ['[]', 400],
    ['null', 400],
    ['{"content":', 400],
    [JSON.stringify({ connectionId: 'a', objectName: 'b'.repeat(600), content: {} }), 400],
    [`{"connectionId":"${'x'.repeat(2_000_000)}"}`, 413],
    ['{"connectionId":"a","objectName":"contacts","content":{"provider":"sampleCrm","__proto__":{"read":{}}}}', 400],
  ])('a hostile body: %.60s', async (text, status) => {
    const answer = await fetch(`${kit.app.url}/v1${path()}`, {
      method: 'POST',
      headers: { 'x-api-key': kit.app.apiKey, 'content-type': 'application/json' },
      body: text,
    })
    expect(answer.status).toBe(status)
    await answer.body?.cancel()
  })

  it('is a 422 with a connection to another provider', async () => {
    const body = { groupRef, consumerRef: 'ada', provider: 'hubspot', apiKey: 'x' }
    const other = await kit.app.call<{ id: string }>('POST', '/projects/default/connections:generate', {
      ...body,
      provider: 'apollo',
    })
    expect(other.status, JSON.stringify(other.body)).toBe(201)
    connectionId = other.body.id
    const answer = await preview()
    expect([answer.status, answer.body.issues.map(({ name }) => name)]).toEqual([422, ['connectionId']])
  })
})

describe('who may preview', () => {
  const session = async (body: object) =>
    (
      await kit.app.call<{ token: string }>('POST', '/projects/default/connect-sessions', {
        groupRef,
        consumerRef: 'ada',
        ...body,
      })
    ).body.token
  const bearer = (token: string): Options => ({ apiKey: null, headers: { authorization: `Bearer ${token}` } })

  it('sessions that install or manage, for their integrations', async () => {
    for (const purpose of ['install', 'manage'])
      expect((await preview(bodyOf(), bearer(await session({ purpose, integration: 'shown' })))).status).toBe(200)
    const elsewhere = await preview(bodyOf(), bearer(await session({ purpose: 'manage', integration: 'other' })))
    expect([elsewhere.status, elsewhere.body.context.code]).toEqual([404, 'integration-not-found'])
    const connects = await preview(bodyOf(), bearer(await session({ provider: 'sampleCrm' })))
    expect(connects.status).toBe(403)
  })

  it('consumers, for connections of their group', async () => {
    const signer = await createSigner(kit.app)
    const own = { apiKey: null, headers: await signer.headers(groupRef, 'ada') }
    expect((await preview(bodyOf(), own)).status).toBe(200)
    const stranger = { apiKey: null, headers: await signer.headers(`${groupRef}-other`, 'ada') }
    const refused = await preview(bodyOf(), stranger)
    expect([refused.status, refused.body.issues.map(({ name, detail }) => [name, detail])]).toEqual([
      400,
      [['connectionId', 'There is no connection of this id.']],
    ])
    const token = await session({ purpose: 'manage', integration: 'shown', groupRef: `${groupRef}-other` })
    expect((await preview(bodyOf(), bearer(token))).status).toBe(400)
  })

  it('keys of the project, and no others', async () => {
    expect((await preview(bodyOf(), { apiKey: kit.app.frontendKey })).status).toBe(200)
    expect((await preview(bodyOf(), { apiKey: null })).status).toBe(401)
    expect((await preview(bodyOf(), { apiKey: kit.app.otherProject.apiKey })).status).toBe(404)
    const other = `/projects/${kit.app.otherProject.id}/integrations/${integrationId}:preview`
    const answer = await kit.app.call('POST', other, bodyOf(), { apiKey: kit.app.otherProject.apiKey })
    expect(answer.status).toBe(404)
  })
})
