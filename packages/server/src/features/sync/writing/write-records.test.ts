import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { json, secretKey, startWritingKit, type WriteBody, type WritingKit } from './writing.testkit.ts'

let kit: WritingKit
let groupRef: string
let installationId: string

beforeAll(async () => {
  kit = await startWritingKit({ MORTISE_ROLES: 'api' })
  const installed = await kit.install({ deletionSettings: { enabled: true } })
  groupRef = installed.groupRef
  installationId = installed.installationId
})
afterAll(() => kit?.stop())
beforeEach(() => kit.ledger.reset())

interface ProblemBody {
  issues: { in: string; name: string; detail: string; remedy?: string }[]
}
const asJson = { accept: 'application/json' }

/** The places of what is wrong with a request; nothing of it may reach the provider or be stored. */
async function refusedAt(body: object, object = 'contacts'): Promise<string[]> {
  const answer = await kit.write<ProblemBody>({ groupRef, ...body }, object, asJson)
  expect(answer.status, JSON.stringify(answer.body)).toBe(400)
  expect(kit.ledger.seen).toEqual([])
  expect(await kit.left()).toEqual({ runs: 0, items: 0 })
  return answer.body.issues.map(({ name }) => name)
}

describe('one record, while the caller waits', () => {
  it('is created: the answer tells its id and what the provider has, and an operation says so', async () => {
    const { status, body } = await kit.write({
      groupRef,
      type: 'create',
      record: { email: 'a@b.example', telephone: '1' },
    })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        operationId: expect.any(String),
        result: {
          success: true,
          recordId: expect.stringMatching(/^contacts-/),
          data: { id: body.result?.recordId, email: 'a@b.example', phone: '1' },
        },
      },
    })
    expect(kit.ledger.writes()).toMatchObject([
      { method: 'POST', path: '/contacts', body: { record: { email: 'a@b.example', phone: '1' } } },
    ])
    expect(await kit.operation(body.operationId)).toMatchObject({
      status: 'success',
      actionType: 'write',
      resource: 'contacts',
      result: '[contacts] 1 record created',
      metadata: { objects: ['contacts'], successfulRecordIds: [body.result?.recordId] },
    })
    expect(await kit.left()).toEqual({ runs: 0, items: 0 })
    const installation = `${kit.project}/integrations/crm/installations/${installationId}`
    expect(await kit.ok('GET', installation)).toMatchObject({ lastOperationStatus: 'success' })
  })

  it('is updated and deleted by the id inside, which may be a number', async () => {
    kit.ledger.records.set('a/b 7', { id: 'a/b 7', email: 'old' })
    kit.ledger.records.set('12', { id: '12' })
    const update = await kit.write({ groupRef, type: 'update', record: { id: 'a/b 7', email: 'new' } })
    expect(update).toMatchObject({ status: 200, body: { result: { success: true, recordId: 'a/b 7' } } })
    expect(kit.ledger.writes()).toMatchObject([{ path: '/contacts/a%2Fb%207', body: { record: { email: 'new' } } }])
    const removed = await kit.write({ groupRef, type: 'delete', mode: 'asynchronous', record: { id: 12, more: 'x' } })
    expect(removed).toMatchObject({ status: 200, body: { result: { success: true } } })
    expect(kit.ledger.writes().at(-1)).toMatchObject({ method: 'DELETE', path: '/contacts/12', body: undefined })
    expect((await kit.operation(removed.body.operationId)).metadata.successfulRecordIds).toEqual(['12'])
  })

  it('is found by the name that its mapping gives the object', async () => {
    const { status } = await kit.write({ groupRef, type: 'create', record: { telephone: '1' } }, 'people')
    expect(status).toBe(200)
    expect(kit.ledger.writes()).toMatchObject([{ path: '/contacts', body: { record: { phone: '1' } } }])
  })

  it('that the provider refuses is told in its words', async () => {
    const { status, body } = await kit.write({ groupRef, type: 'create', record: { email: 'bad' } })
    expect({ status, body }).toEqual({
      status: 422,
      body: {
        operationId: expect.any(String),
        result: { success: false },
        errors: [{ message: expect.stringContaining('The email is bad.') }],
        rawResponse: '{"error":"The email is bad."}',
      },
    })
    expect(await kit.operation(body.operationId)).toMatchObject({
      status: 'failure',
      result: expect.stringMatching(/^\[contacts\] Error writing to provider: .*The email is bad\./),
    })
    expect(await kit.logs(body.operationId)).toContain('Error writing to provider')
  })

  it.each([
    ['a limit', 429, { 'retry-after': '7' }, '7'],
    ['a failure', 503, {}, null],
  ])('that meets %s of the provider is not tried again', async (_, answered, headers, retryAfter) => {
    const { groupRef } = await kit.install()
    kit.ledger.once((_, response) => json(response, answered, { error: 'not now' }, headers))
    const answer = await kit.write({ groupRef, type: 'create', record: { email: 'a' } })
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ message: expect.any(String) }] } })
    expect(answer.headers.get('retry-after')).toBe(retryAfter)
    expect(kit.ledger.writes()).toHaveLength(1)
  })

  it('whose answer never came may have been written, and is told so', async () => {
    kit.ledger.once((_, response) => response.destroy())
    const { status, body } = await kit.write({ groupRef, type: 'create', record: { email: 'a' } })
    expect(status).toBe(422)
    expect(body.errors?.[0]?.message).toMatch(/Whether the record was created is not known/)
  })

  it('is sent once to a provider that takes keys, under the id of the operation', async () => {
    const { body } = await kit.write({ groupRef, type: 'create', record: { text: 'x' } }, 'notes')
    expect(kit.ledger.writes()[0]?.headers['idempotency-key']).toBe(body.operationId)
  })

  it('takes links to others, and headers', async () => {
    const links = [{ to: { id: '7' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 }] }]
    const headers = [{ key: 'X-Rule', value: 'allow' }]
    await kit.write({ groupRef, type: 'create', record: { email: 'a' }, associations: links, headers })
    expect(kit.ledger.writes()[0]).toMatchObject({ body: { record: { email: 'a' }, links } })
    expect(kit.ledger.writes()[0]?.headers['x-rule']).toBe('allow')
  })
})

describe('a batch, while the caller waits', () => {
  const items = (...emails: string[]) => emails.map((email) => ({ record: { email } }))

  it('goes out in as many requests as the provider needs; each record has its own outcome', async () => {
    const batch = items('a', 'b', 'bad', 'c', 'd')
    const { status, body } = await kit.write({ groupRef, type: 'create', batch })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({ successCount: 4, failureCount: 1 })
    expect(body.results?.map(({ success }) => success)).toEqual([true, true, false, true, true])
    expect(body.results?.[2]).toEqual({ success: false, errors: [{ message: 'The email is bad.' }] })
    const sizes = kit.ledger.writes().map(({ body }) => (body?.['items'] as unknown[] | undefined)?.length)
    expect(sizes).toEqual([3, 2])
    const ids = body.results?.flatMap(({ recordId }) => recordId ?? [])
    expect(ids).toHaveLength(4)
    expect(await kit.operation(body.operationId)).toMatchObject({
      status: 'success',
      result: 'Batch write completed (4 succeeded, 1 failed)',
      metadata: { successfulRecordIds: ids },
    })
  })

  it('of which nothing was written is a 422', async () => {
    const { status, body } = await kit.write({ groupRef, type: 'create', batch: items('bad', 'bad') })
    expect(status).toBe(422)
    expect(body).toMatchObject({ successCount: 0, failureCount: 2, results: [{ success: false }, { success: false }] })
    expect((await kit.operation(body.operationId)).status).toBe('failure')
  })

  it('of all or none is rolled back as a whole', async () => {
    const batchPolicy = { allOrNone: true }
    const { status, body } = await kit.write({ groupRef, type: 'create', batch: items('a', 'bad'), batchPolicy })
    expect(status).toBe(422)
    expect(body).toMatchObject({ successCount: 0, failureCount: 2 })
    expect(JSON.stringify(body)).toContain('One of them is bad.')
    expect(kit.ledger.records.size).toBe(0)
  })

  it('updates each record by its id', async () => {
    for (const id of ['1', '2']) kit.ledger.records.set(id, { id })
    const batch = [{ record: { id: '1', email: 'x' } }, { record: { id: 2, telephone: 'y' } }]
    const { body } = await kit.write({ groupRef, type: 'update', batch })
    expect(body).toMatchObject({ successCount: 2, failureCount: 0 })
    expect(kit.ledger.writes()[0]?.body).toEqual({
      items: [
        { id: '1', record: { email: 'x' } },
        { id: '2', record: { phone: 'y' } },
      ],
    })
  })

  it('that stops in the middle tells of every record: written, or not', async () => {
    kit.ledger.once(kit.ledger.respond, (_, response) => json(response, 500, { error: 'broken' }))
    const { status, body } = await kit.write({
      groupRef,
      type: 'create',
      batch: items('a', 'b', 'c', 'd', 'e', 'f', 'g'),
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ successCount: 3, failureCount: 4 })
    expect(body.results).toHaveLength(7)
    expect(kit.ledger.writes()).toHaveLength(2)
  })
})

describe('the config of the installation', () => {
  it('decides defaults and which fields are written', async () => {
    const { groupRef } = await kit.install({
      selectedFieldSettings: {
        telephone: { default: { stringValue: 'none' } },
        email: { writeOnCreate: 'never' },
        score: { writeOnUpdate: 'never' },
      },
    })
    await kit.write({ groupRef, type: 'create', record: { email: 'a', score: 1 } })
    kit.ledger.records.set('9', { id: '9' })
    await kit.write({ groupRef, type: 'update', record: { id: '9', email: 'a', score: 1 } })
    expect(kit.ledger.writes().map(({ body }) => body?.['record'])).toEqual([
      { score: 1, phone: 'none' },
      { email: 'a', phone: 'none' },
    ])
  })

  it('leaves out what it does not let be written, and a refusal tells of that', async () => {
    const { groupRef } = await kit.install({ selectedFieldSettings: { score: { writeOnCreate: 'never' } } })
    const record = { email: 'bad', score: 1 }
    const { status, body } = await kit.write({ groupRef, type: 'create', record })
    expect({ status, warnings: body.warnings }).toEqual({
      status: 422,
      warnings: [{ message: 'score is left out: the config does not let a create write it.' }],
    })
    expect((await kit.write({ groupRef, type: 'create', record: { ...record, email: 'a' } })).body).not.toHaveProperty(
      'warnings',
    )
  })

  it('keeps what a record has already, where it says so', async () => {
    const { groupRef } = await kit.install({
      selectedFieldSettings: { email: { writeOnUpdate: 'ifEmpty' }, telephone: { writeOnUpdate: 'ifEmpty' } },
    })
    kit.ledger.records.set('1', { id: '1', email: 'kept', phone: '' })
    const both = { id: '1', email: 'new', telephone: '5', name: 'n' }
    expect((await kit.write({ groupRef, type: 'update', record: both })).status).toBe(200)
    expect(kit.ledger.writes()).toMatchObject([{ body: { record: { phone: '5', name: 'n' } } }])
    const { status, body } = await kit.write({ groupRef, type: 'update', record: { id: '1', email: 'new' } })
    expect({ status, result: body.result }).toEqual({ status: 200, result: { success: true, recordId: '1' } })
    expect(kit.ledger.writes(), 'nothing was left to write').toHaveLength(1)
    const batch = [{ record: { id: '1', email: 'new' } }, { record: { id: '1', name: 'm' } }]
    const answer = await kit.write({ groupRef, type: 'update', batch })
    expect(answer.body).toMatchObject({ successCount: 2, results: [{ recordId: '1' }, { recordId: '1' }] })
    expect(kit.ledger.writes().at(-1)?.body).toEqual({ items: [{ id: '1', record: { name: 'm' } }] })
  })

  it('maps values back', async () => {
    const { groupRef } = await kit.install({}, { selectedValueMappings: { phone: { mobile: 'M' } } })
    await kit.write({ groupRef, type: 'create', record: { telephone: 'mobile' } })
    expect(kit.ledger.writes()[0]?.body).toMatchObject({ record: { phone: 'M' } })
  })

  it('allows deletes, or not', async () => {
    const { groupRef } = await kit.install()
    const answer = await kit.write<ProblemBody>({ groupRef, type: 'delete', record: { id: '1' } }, 'contacts', asJson)
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ name: 'type' }] } })
    expect(kit.ledger.seen).toEqual([])
  })
})

describe('a request that cannot be', () => {
  const record = { email: 'a' }
  const batch = [{ record }]

  it.each<[string, object, string[], string?]>([
    ['without record', { type: 'create' }, ['record']],
    ['with record and batch', { type: 'create', record, batch }, ['record']],
    ['with an empty batch', { type: 'create', batch: [] }, ['batch']],
    ['with 101 records', { type: 'create', batch: Array.from({ length: 101 }, () => ({ record })) }, ['batch']],
    ['without type', { record }, ['type']],
    ['of another type', { type: 'upsert', record }, ['type']],
    ['of another mode', { type: 'create', mode: 'later', record }, ['mode']],
    ['to update what has no id', { type: 'update', record }, ['record.id']],
    ['to update what has a strange id', { type: 'update', record: { id: { a: 1 } } }, ['record.id']],
    ['to delete what has no id', { type: 'delete', record }, ['record.id']],
    ['to update a batch without ids', { type: 'update', batch }, ['batch[0].record.id']],
    ['to delete a batch', { type: 'delete', batch: [{ record: { id: '1' } }] }, ['batch']],
    [
      'to gather while it waits',
      { type: 'create', record, autoBatchPolicy: { maxDelayMinutes: 1 } },
      ['autoBatchPolicy'],
    ],
    [
      'to gather a batch',
      { type: 'create', mode: 'asynchronous', batch, autoBatchPolicy: { maxDelayMinutes: 1 } },
      ['autoBatchPolicy'],
    ],
    [
      'to gather for two days',
      { type: 'create', mode: 'asynchronous', record, autoBatchPolicy: { maxDelayMinutes: 2_880 } },
      ['autoBatchPolicy.maxDelayMinutes'],
    ],
    [
      'to retry for three days',
      { type: 'create', record, retryPolicy: { deadlineHours: 72 } },
      ['retryPolicy.deadlineHours'],
    ],
    [
      'to link what exists',
      { type: 'update', record: { id: '1' }, associations: [{ to: { id: '7' } }] },
      ['associations'],
    ],
    ['to link a whole batch', { type: 'create', batch, associations: [{ to: { id: '7' } }] }, ['associations']],
    [
      'of all or none beyond what the provider takes at once',
      { type: 'create', batch: [...batch, ...batch, ...batch, ...batch], batchPolicy: { allOrNone: true } },
      ['batch'],
    ],
    [
      'with a header of ours',
      { type: 'create', record, headers: [{ key: 'Authorization', value: 'x' }] },
      ['headers[0].key'],
    ],
    ['for an object that is nowhere', { type: 'create', record }, ['objectName'], 'nobody'],
    ['for an object that the installation leaves out', { type: 'create', record }, ['objectName'], 'uninstalled'],
    ['for an object that the provider does not have', { type: 'create', record }, ['objectName'], 'strangers'],
    ['for an object that takes no batches', { type: 'create', batch }, ['batch'], 'notes'],
    [
      'for an object that takes no headers',
      { type: 'create', record, headers: [{ key: 'X-A', value: 'b' }] },
      ['headers'],
      'notes',
    ],
    ['for an object that takes no links', { type: 'create', record, associations: [{}] }, ['associations'], 'notes'],
    [
      'for an object of which nothing is deleted',
      { type: 'delete', record: { id: '1' } },
      ['objectName', 'type'],
      'notes',
    ],
  ])('%s is told where', async (_, body, places, object) => {
    expect(await refusedAt(body, object)).toEqual(places)
  })

  it('tells how many records the provider takes at once', async () => {
    const sizes = async (body: object, object?: string) => {
      const answer = await kit.write<{ issues: { context?: object }[] }>({ groupRef, ...body }, object, {
        accept: 'application/json',
      })
      return answer.body.issues.map(({ context }) => context)
    }
    expect(await sizes({ type: 'create', batch }, 'notes')).toEqual([{ batchSizeMax: 1 }])
    const four = [...batch, ...batch, ...batch, ...batch]
    expect(await sizes({ type: 'create', batch: four, batchPolicy: { allOrNone: true } })).toEqual([
      { batchSizeMax: 3 },
    ])
  })

  it('tells everything at once', async () => {
    expect(await refusedAt({ type: 'update', record, headers: [{ key: 'Host', value: 'x' }] })).toEqual([
      'record.id',
      'headers[0].key',
    ])
  })

  it('is told in plain text, unless the client prefers JSON', async () => {
    const body = { groupRef: 'nobody', type: 'create', record }
    const plain = await kit.write<string>(body)
    expect(plain.status).toBe(400)
    expect(plain.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(plain.body).toBe(
      'This group has no installation of the integration. Install the integration for the group first.',
    )
    const preferred = await kit.write<ProblemBody>(body, 'contacts', asJson)
    expect(preferred.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(preferred.body.issues).toMatchObject([{ in: 'body', name: 'groupRef' }])
    const unread = await kit.app.call<string>(
      'POST',
      `/${`/write/v1${kit.project}`}/integrations/crm/objects/contacts`,
      '{',
    )
    expect(unread.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })

  it('is known by its body on the path that it shares with reads', async () => {
    const path = `${kit.project}/integrations/crm/objects/contacts`
    const written = await kit.app.call<WriteBody>('POST', path, { groupRef, type: 'create', record })
    expect(written).toMatchObject({ status: 200, body: { result: { success: true } } })
    const wrong = await kit.app.call<string>('POST', path, { groupRef, type: 'create' })
    expect(wrong.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const read = await kit.app.call<ProblemBody>('POST', path, { mode: 'async' })
    expect(read.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  })

  it('of an integration that is not there is a 404', async () => {
    const path = `/${`/write/v1${kit.project}`}/integrations/none/objects/contacts`
    const answer = await kit.app.call('POST', path, { groupRef, type: 'create', record })
    expect(answer).toMatchObject({ status: 404, body: { context: { code: 'integration-not-found' } } })
  })
})

it('a credential that the provider refuses ends the write and shows on the connection', async () => {
  const { groupRef, connectionId } = await kit.install()
  await kit.ok('PATCH', `${kit.project}/connections/${connectionId}`, {
    updateMask: ['apiKey'],
    connection: { apiKey: 'wrong-key-of-the-account' },
  })
  const { status, body } = await kit.write({ groupRef, type: 'create', record: { email: 'a' } })
  expect(status, JSON.stringify(body)).toBe(422)
  expect(await kit.ok('GET', `${kit.project}/connections/${connectionId}`)).toMatchObject({ status: 'bad_credentials' })
})

it('a request with an Idempotency-Key writes once, however often it comes', async () => {
  const headers = { 'idempotency-key': 'once-and-only-once' }
  const body = { groupRef, type: 'create', record: { email: 'a' } }
  const first = await kit.write(body, 'contacts', headers)
  const second = await kit.write(body, 'contacts', headers)
  expect(second).toMatchObject({ status: 200, body: first.body })
  expect(kit.ledger.writes()).toHaveLength(1)
})

it('neither the credential nor what is written is in a log', async () => {
  const record = { email: 'very-private@person.example', telephone: '+49 170 1234567' }
  const { body } = await kit.write({ groupRef, type: 'create', record })
  kit.ledger.once((_, response) => response.destroy())
  await kit.write({ groupRef, type: 'create', record })
  const { rows } = await sql<{ all: string | null }>`
    select (select string_agg(l::text, ' ') from operation_logs l) || (select string_agg(o::text, ' ') from operations o) as all`.execute(
    kit.app.db.sql,
  )
  const written = [kit.app.logs.join('\n'), rows[0]?.all, await kit.logs(body.operationId)].join('\n')
  for (const secret of [secretKey, record.email, record.telephone]) expect(written).not.toContain(secret)
})
