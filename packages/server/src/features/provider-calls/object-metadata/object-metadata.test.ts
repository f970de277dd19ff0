import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { type InstallationKit, type ProblemBody, startInstallationKit } from '../../../testkit/installation-kit.ts'

interface FieldBody {
  fieldName: string
  displayName: string
  valueType?: string
  readOnly?: boolean
  values?: object[]
}
interface MetadataBody {
  name: string
  displayName: string
  mappedObjectName?: string
  fields: Record<string, FieldBody>
}
interface HydratedBody {
  id: string
  content: {
    read: {
      objects: {
        objectName: string
        displayName: string
        error?: string
        optionalFields: { fieldName?: string; mapToName?: string }[]
        allFields: object[]
        allFieldsMetadata: Record<string, FieldBody>
      }[]
    }
    write?: object
  }
}

let kit: InstallationKit
let groups = 0
let group = ''
let connectionId = ''
beforeAll(async () => {
  kit = await startInstallationKit()
})
afterAll(() => kit?.stop())
beforeEach(async () => {
  kit.crm.failNext(0, 500)
  group = `meta-${++groups}`
  connectionId = await kit.connect(group)
})

const ofInstallation = <T = MetadataBody>(object: string, query = '', integration = 'crm') =>
  kit.app.call<T>(
    'GET',
    `${kit.base}/integrations/${integration}/objects/${encodeURIComponent(object)}/metadata?groupRef=${group}${query}`,
  )
const ofConnection = <T = MetadataBody>(object: string, query = '', provider = 'sampleCrm') =>
  kit.app.call<T>(
    'GET',
    `${kit.base}/providers/${provider}/objects/${encodeURIComponent(object)}/metadata?groupRef=${group}${query}`,
  )
const statusOf = async (id = connectionId) =>
  (await kit.app.call<{ status: string }>('GET', `${kit.base}/connections/${id}`)).body.status
const install = () => kit.create(group, { contacts: {} }, {}, '?skipSampling=true')

describe('metadata of an object', () => {
  test('for an installation, by either of its names', async () => {
    await install()
    const native = await ofInstallation('contacts')
    expect(native.status).toBe(200)
    expect(native.body).toMatchObject({ name: 'contacts', displayName: 'Contacts', mappedObjectName: 'people' })
    expect(native.body.fields['stage']).toMatchObject({
      fieldName: 'stage',
      displayName: 'Stage',
      valueType: 'singleSelect',
      values: [{ value: 'lead', displayValue: 'Lead' }, {}, {}],
    })
    expect((await ofInstallation('people')).body).toEqual(native.body)
    const unmapped = await ofInstallation('companies')
    expect(unmapped.body).toMatchObject({ name: 'companies' })
    expect(unmapped.body).not.toHaveProperty('mappedObjectName')
  })

  test('for a connection, by the provider’s name alone', async () => {
    const answer = await ofConnection('contacts')
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body.fields)).toContain('email')
    expect(answer.body).not.toHaveProperty('mappedObjectName')
    expect(await ofConnection('people')).toMatchObject({ status: 404, body: { context: { code: 'object-not-found' } } })
  })

  test('without the fields that cannot be written', async () => {
    const { fields } = (await ofConnection('contacts', '&excludeReadOnly=true')).body
    expect(Object.keys(fields)).not.toContain('created_at')
    expect(Object.keys(fields)).toContain('email')
    // All are read-only: an object without fields is still one with `fields`.
    expect((await ofConnection('companies', '&excludeReadOnly=true')).body).toMatchObject({ fields: {} })
    expect((await ofConnection('contacts', '&excludeReadOnly=1')).status).toBe(400)
  })

  test('of a group that has installed or connected nothing, an unknown provider, integration and object', async () => {
    expect(await ofInstallation('contacts')).toMatchObject({
      status: 404,
      body: { context: { code: 'installation-not-found' } },
    })
    await install()
    for (const [answer, code] of [
      [await ofInstallation('nope'), 'object-not-found'],
      [await ofInstallation('contacts', '', 'nope'), 'integration-not-found'],
      [await ofConnection('contacts', '', 'hubspot'), 'connection-not-found'],
      [await ofConnection('contacts', '', 'sampleCrmm'), 'connection-not-found'],
    ] as const)
      expect(answer).toMatchObject({ status: 404, body: { context: { code } } })
    const missing = await kit.app.call<ProblemBody>('GET', `${kit.base}/providers/sampleCrm/objects/contacts/metadata`)
    expect(missing).toMatchObject({ status: 400, body: { issues: [{ in: 'query', name: 'groupRef' }] } })
  })

  test.each([
    [400, 422, 'provider-refused', false],
    [403, 422, 'provider-refused', false],
    [404, 404, 'object-not-found', false],
    [429, 429, 'provider-rate-limited', true],
    [500, 502, 'provider-unavailable', true],
    [503, 502, 'provider-unavailable', true],
  ])('a provider that answers %i: %i %s', async (status, expected, code, retryable) => {
    kit.crm.failNext(1, status)
    const answer = await ofConnection<ProblemBody & { retryable: boolean }>('contacts')
    expect(answer).toMatchObject({ status: expected, body: { context: { code }, retryable } })
    expect(answer.body.detail).toBeTruthy()
    expect(JSON.stringify(answer.body)).not.toContain('demo-key')
    expect(await statusOf()).toBe('working')
  })

  test('credentials that the provider refuses move the status of the connection, and a success moves it back', async () => {
    kit.crm.failNext(1, 401)
    expect(await ofConnection('contacts')).toMatchObject({
      status: 422,
      body: { context: { code: 'provider-credentials-refused' } },
    })
    expect(await statusOf()).toBe('bad_credentials')
    expect((await ofConnection('contacts')).status).toBe(200)
    expect(await statusOf()).toBe('working')
  })

  test('a provider without a connector, and one that cannot be reached', async () => {
    await kit.connect(group, { provider: 'pylon', apiKey: 'k' })
    expect(await ofConnection('contacts', '', 'pylon')).toMatchObject({
      status: 422,
      body: { context: { code: 'capability-not-implemented' } },
    })
    await kit.connect(group, { consumerRef: 'bob', providerMetadata: { url: 'http://127.0.0.1:64999' } })
    expect(await ofConnection('contacts')).toMatchObject({
      status: 502,
      body: { context: { code: 'provider-unavailable' } },
    })
  })

  test('an answer is kept for half a minute, for this credential alone; a failure is not kept', async () => {
    const requests = async (work: () => Promise<unknown>) => {
      const before = kit.crm.counters().requests
      await work()
      return kit.crm.counters().requests - before
    }
    kit.crm.failNext(1, 500)
    expect(await requests(() => ofConnection('contacts'))).toBe(1)
    expect(await requests(() => ofConnection('contacts'))).toBe(1)
    expect(await requests(() => ofConnection('contacts', '&excludeReadOnly=true'))).toBe(0)
    expect((await ofConnection('contacts')).body.fields).toHaveProperty('created_at')
    kit.app.clock.advance(31_000)
    expect(await requests(() => ofConnection('contacts'))).toBe(1)
    await kit.connect(group)
    expect(await requests(() => ofConnection('contacts'))).toBe(1)
  })
})

describe('a hydrated revision', () => {
  const revisionOf = async (integration = 'crm') =>
    (
      await kit.app.call<{ id: string; latestRevision: { id: string; createTime: string } }>(
        'GET',
        `${kit.base}/integrations/${integration}`,
      )
    ).body
  const hydrate = async <T = HydratedBody>(change: { id?: string; connectionId?: string; revision?: string } = {}) => {
    const { id, latestRevision } = await revisionOf()
    const { connectionId: connection = connectionId, revision = latestRevision.id } = change
    const path = `${kit.base}/integrations/${change.id ?? id}/revisions/${revision}:hydrate`
    return await kit.app.call<T>('GET', `${path}?connectionId=${connection}`)
  }

  test('is the revision with the fields of the account', async () => {
    const answer = await hydrate()
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    const { latestRevision } = await revisionOf()
    expect(answer.body).toMatchObject({
      id: latestRevision.id,
      createTime: latestRevision.createTime,
      specVersion: '1.0.0',
      content: { name: 'crm', provider: 'sampleCrm', write: { objects: [{ objectName: 'contacts' }] } },
    })
    expect(answer.body.content).not.toHaveProperty('subscribe')
    const [contacts, companies, items] = answer.body.content.read.objects
    expect(contacts?.optionalFields.slice(0, 2)).toEqual([
      { fieldName: 'score', displayName: 'Score' },
      { mapToName: 'stage', prompt: 'Which?' },
    ])
    const offered = contacts?.optionalFields.map(({ fieldName }) => fieldName)
    expect(offered).toContain('vip')
    expect(offered).not.toContain('email')
    expect(contacts?.allFieldsMetadata['plan']).toMatchObject({ valueType: 'singleSelect', displayName: 'Plan' })
    expect(companies).not.toHaveProperty('error')
    // The CRM has no such object: it says so itself, and the others are there.
    expect(items).toMatchObject({ objectName: 'price/list.items', allFields: [], error: expect.any(String) })
  })

  test('asks the provider once for each object, and not again within half a minute', async () => {
    const { requests } = kit.crm.counters()
    await Promise.all([hydrate()])
    await hydrate()
    expect(kit.crm.counters().requests - requests).toBe(2)
  })

  test('an old revision and an integration by its name', async () => {
    const old = await revisionOf()
    expect((await hydrate({ id: 'crm', revision: old.latestRevision.id })).status).toBe(200)
  })

  test.each([
    [401, 422, 'provider-credentials-refused'],
    [500, 502, 'provider-unavailable'],
    [429, 429, 'provider-rate-limited'],
  ])('a provider that answers %i to everything is a problem with a detail: %i', async (status, expected, code) => {
    await kit.deploy(`specVersion: 1.0.0
integrations:
  - { name: plain, provider: sampleCrm, read: { objects: [{ objectName: contacts, destination: hook, schedule: "0 * * * *" }, { objectName: companies, destination: hook, schedule: "0 * * * *" }] } }
`)
    const { id, latestRevision } = await revisionOf('plain')
    kit.crm.failNext(9, status)
    const answer = await hydrate<ProblemBody>({ id, revision: latestRevision.id })
    expect(answer).toMatchObject({ status: expected, body: { context: { code }, detail: expect.stringMatching(/.+/) } })
    expect(await statusOf()).toBe(status === 401 ? 'bad_credentials' : 'working')
  })

  test('one object that fails says so, and nothing else does', async () => {
    kit.crm.failNext(1, 500)
    const { status, body } = await hydrate()
    expect(status).toBe(200)
    expect(body.content.read.objects.filter(({ error }) => error === undefined)).toHaveLength(1)
  })

  test('nothing to read: the provider is not asked', async () => {
    await kit.deploy(
      'specVersion: 1.0.0\nintegrations:\n  - { name: proxied, provider: pylon, proxy: { enabled: true } }\n',
    )
    const { id, latestRevision } = await revisionOf('proxied')
    const connection = await kit.connect(group, { provider: 'pylon', apiKey: 'k' })
    const answer = await hydrate({ id, revision: latestRevision.id, connectionId: connection })
    expect(answer).toMatchObject({ status: 200, body: { content: { proxy: { enabled: true } } } })
    expect(answer.body.content).not.toHaveProperty('read')
  })

  test('what is not there, not of this integration, or to another provider', async () => {
    const other = await kit.connect(group, { provider: 'pylon', apiKey: 'k' })
    const { id } = await revisionOf()
    await kit.deploy(
      'specVersion: 1.0.0\nintegrations:\n  - { name: second, provider: sampleCrm, proxy: { enabled: true } }\n',
    )
    const second = await revisionOf('second')
    for (const [change, status, code] of [
      [{ id: newId() }, 404, 'integration-not-found'],
      [{ revision: newId() }, 404, 'revision-not-found'],
      [{ revision: 'nope' }, 404, 'revision-not-found'],
      [{ id, revision: second.latestRevision.id }, 404, 'revision-not-found'],
      [{ connectionId: newId() }, 404, 'connection-not-found'],
      [{ connectionId: 'nope' }, 404, 'connection-not-found'],
      [{ connectionId: other }, 400, 'invalid-input'],
      [{ connectionId: '' }, 400, 'invalid-input'],
    ] as const)
      expect(await hydrate(change), JSON.stringify(change)).toMatchObject({ status, body: { context: { code } } })
    const stranger = await sql`select from connections where project_id <> ${kit.app.projectId}`.execute(kit.app.db.sql)
    expect(stranger.rows).toEqual([])
  })
})
