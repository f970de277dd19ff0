import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FieldCrm, startFieldCrm } from '../../../testkit/field-crm.ts'
import type { ProblemBody } from '../../../testkit/installation-kit.ts'

let crm: FieldCrm
let groups = 0
let group = ''
beforeAll(async () => {
  crm = await startFieldCrm({ MORTISE_ROLES: 'api' })
  await crm.deploy('crm')
})
afterAll(() => crm?.stop())
beforeEach(async () => {
  group = `search-${++groups}`
  await crm.connect(group)
  crm.seen.length = 0
})

const equal = (fieldName: string, value: unknown) => ({ fieldName, operator: 'eq', value })
function search<T = { result: unknown[]; results: unknown[] }>(body: unknown, { name = 'crm', groupRef = group } = {}) {
  return crm.app.call<T>('POST', `//search/v1${crm.base}/integrations/${name}?groupRef=${groupRef}`, body)
}
const install = async (config = {}) => expect((await crm.install('crm', group, config)).status).toBe(201)

describe('a search by any field', () => {
  const read = async (objectName: string, more: object) => {
    const name = `any-${group}`
    const objects = [{ objectName, destination: 'hook', schedule: '0 0 29 2 *', ...more }]
    const manifest = { specVersion: '1.0.0', integrations: [{ name, provider: 'fieldCrm', read: { objects } }] }
    const deployed = await crm.app.call('PUT', `${crm.base}/integrations:batch`, {
      sourceYaml: JSON.stringify(manifest),
    })
    expect(deployed.status, JSON.stringify(deployed.body)).toBe(200)
    const config = { content: { provider: 'fieldCrm', read: { objects: { [objectName]: {} } } } }
    const path = `${crm.base}/integrations/${name}/installations?skipSampling=true`
    expect((await crm.app.call('POST', path, { groupRef: group, config })).status).toBe(201)
    crm.seen.length = 0
    return (...fieldFilters: unknown[]) =>
      search<ProblemBody & { results: { raw: { name: string } }[] }>({ objectName, fieldFilters }, { name })
  }
  const described = () => crm.seen.filter(({ path }) => path === '/companies/fields').length

  test('that the account does not have is refused, with those that it has, by the names of the caller', async () => {
    const find = await read('companies', {
      optionalFieldsAuto: 'all',
      requiredFields: [{ fieldName: 'phone', mapToName: 'telephone' }],
    })
    const answer = await find(equal('nme', 'Acme'), equal('name', 'Acme'), equal("$['adress']['city']", 'Rome'))
    expect(answer.status, JSON.stringify(answer.body)).toBe(400)
    const searchable = ['name', 'telephone', 'address']
    expect(answer.body.issues).toMatchObject([
      {
        in: 'body',
        name: 'fieldFilters[0].fieldName',
        value: 'nme',
        detail: 'The object has no field "nme" in this account.',
        remedy: 'Did you mean "name"? Search by: name, telephone, address.',
        context: { searchable },
      },
      { name: 'fieldFilters[2].fieldName', context: { searchable } },
    ])
  })

  test('that there is finds nothing where nothing fits, and records cost no description', async () => {
    const find = await read('companies', { optionalFieldsAuto: 'all', requiredFields: [{ fieldName: 'phone' }] })
    const names = async (...filters: unknown[]) => {
      const { status, body } = await find(...filters)
      return [status, body.results.map(({ raw }) => raw.name)]
    }
    expect(await names(equal("$['address']['city']", 'Rome'))).toEqual([200, ['Acme']])
    expect(await names(equal('phone', 'none'), equal('id', '2'))).toEqual([200, []])
    expect(described()).toBe(0)
    expect(await names(equal('NAME', 'none'), equal("$['address']['city']", 'Oslo'))).toEqual([200, []])
    expect(described()).toBe(1)
  })

  test('is not refused where the fields are not all known, or cannot be read', async () => {
    const places = await read('places', { requiredFields: [{ fieldName: 'name' }] })
    expect((await places(equal('nme', 'Acme'))).body).toEqual({ result: [], results: [] })
    group = `search-${++groups}`
    await crm.connect(group)
    const companies = await read('companies', { requiredFields: [{ fieldName: 'name' }] })
    crm.failNext(500, {}, '/companies/fields')
    expect((await companies(equal('nme', 'Acme'))).body).toEqual({ result: [], results: [] })
    expect(described()).toBe(1)
  })
})

describe('a search', () => {
  test('answers records that fit, under both keys, as messages would bring them', async () => {
    await install({ selectedFields: { stage: true } })
    const answer = await search({ objectName: 'contacts', fieldFilters: [equal('stage', 'won')] })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(answer.body.results).toEqual([
      {
        id: '1',
        fields: { email: 'ada@example.com', stage: 'won' },
        mappedFields: { telephone: '1' },
        raw: crm.contacts[0],
      },
      {
        id: '3',
        fields: { email: 'cyd@example.com', stage: 'won' },
        mappedFields: { telephone: '3' },
        raw: crm.contacts[2],
      },
    ])
    expect(answer.body.result).toEqual(answer.body.results)
    expect(crm.seen).toEqual([
      { method: 'POST', path: '/contacts/search', query: {}, body: { where: [{ name: 'stage', is: 'won' }] } },
    ])
  })

  test('takes mapped names of objects, fields and values, and all conditions at once', async () => {
    await install({
      selectedFieldMappings: { status: 'stage' },
      selectedValueMappings: { stage: { customer: 'won' } },
    })
    const answer = await search({
      objectName: 'people',
      fieldFilters: [equal('status', 'customer'), equal('telephone', '3'), equal('email', 'cyd@example.com')],
    })
    expect(answer.body.results).toMatchObject([{ id: '3', mappedFields: { status: 'customer', telephone: '3' } }])
    expect(crm.seen[0]?.body).toEqual({
      where: [
        { name: 'stage', is: 'won' },
        { name: 'phone', is: '3' },
        { name: 'email', is: 'cyd@example.com' },
      ],
    })
  })

  test('that finds nothing answers empty lists', async () => {
    await install()
    expect((await search({ objectName: 'contacts', fieldFilters: [equal('email', 'nobody')] })).body).toEqual({
      result: [],
      results: [],
    })
  })

  test('of an object that the manifest declares and the config leaves out has the manifest’s fields', async () => {
    const path = `${crm.base}/integrations/crm/installations?skipSampling=true`
    const content = { provider: 'fieldCrm', read: { objects: { notes: { selectedFieldsAuto: 'all' } } } }
    expect((await crm.app.call('POST', path, { groupRef: group, config: { content } })).status).toBe(201)
    const answer = await search({ objectName: 'contacts', fieldFilters: [equal('email', 'ada@example.com')] })
    expect(answer.body.results).toMatchObject([{ id: '1', fields: { email: 'ada@example.com' } }])
  })

  test.each([
    ['an object that is disabled', 'contacts', { disabled: true }, 'disables'],
    ['an object of no such name', 'nope', {}, 'no object of this name'],
    ['an object that cannot be searched', 'notes', {}, 'cannot be searched'],
  ])('of %s is refused', async (_, objectName, config, detail) => {
    await install(config)
    expect(await search<ProblemBody>({ objectName, fieldFilters: [equal('email', 'x')] })).toMatchObject({
      status: 400,
      body: { issues: [{ in: 'body', name: 'objectName', detail: expect.stringContaining(detail) }] },
    })
    expect(crm.seen).toEqual([])
  })

  test.each([
    [{ objectName: 'contacts', fieldFilters: [] }, 'fieldFilters'],
    [{ objectName: 'contacts' }, 'fieldFilters'],
    [
      { objectName: 'contacts', fieldFilters: [{ ...equal('email', 'x'), operator: 'ne' }] },
      'fieldFilters[0].operator',
    ],
    [{ objectName: 'contacts', fieldFilters: [equal('email', null)] }, 'fieldFilters[0].value'],
    [{ objectName: 'contacts', fieldFilters: [equal('email', ['x'])] }, 'fieldFilters[0].value'],
    [{ fieldFilters: [equal('email', 'x')] }, 'objectName'],
  ])('of %j says what is wrong', async (body, name) => {
    await install()
    expect(await search<ProblemBody>(body)).toMatchObject({ status: 400, body: { issues: [{ in: 'body', name }] } })
  })

  test('by fields that cannot be searched names each of them, with those that can', async () => {
    await install()
    const fieldFilters = [equal('stag', 'won'), equal('stage', 'won'), equal('colour', 'red')]
    const answer = await search<ProblemBody>({ objectName: 'contacts', fieldFilters })
    const searchable = ['email', 'stage', 'telephone']
    expect(answer).toMatchObject({
      status: 400,
      body: {
        issues: [
          {
            in: 'body',
            name: 'fieldFilters[0].fieldName',
            value: 'stag',
            remedy: 'Did you mean "stage"? Search by: email, stage, telephone.',
            context: { searchable },
          },
          { name: 'fieldFilters[2].fieldName', value: 'colour', context: { searchable } },
        ],
      },
    })
    expect(crm.seen).toEqual([])
  })

  test('of a group that has installed nothing, and without a group, says so', async () => {
    const body = { objectName: 'contacts', fieldFilters: [equal('email', 'x')] }
    const noGroup = { status: 400, body: { issues: [{ in: 'query', name: 'groupRef' }] } }
    expect(await search(body)).toMatchObject(noGroup)
    expect(await crm.app.call('POST', `//search/v1${crm.base}/integrations/crm`, body)).toMatchObject(noGroup)
    expect((await search(body, { name: 'nope' })).status).toBe(404)
  })

  test.each([
    [400, 422, 'provider-refused'],
    [429, 429, 'provider-rate-limited'],
    [503, 502, 'provider-unavailable'],
  ])('that the provider answers %i: %i %s', async (given, status, code) => {
    await install()
    crm.failNext(given)
    expect(await search<ProblemBody>({ objectName: 'contacts', fieldFilters: [equal('email', 'x')] })).toMatchObject({
      status,
      body: { context: { code } },
    })
  })

  test('with credentials that the provider refuses moves the status of the connection', async () => {
    await install()
    crm.failNext(401)
    const body = { objectName: 'contacts', fieldFilters: [equal('email', 'x')] }
    expect(await search(body)).toMatchObject({
      status: 422,
      body: { context: { code: 'provider-credentials-refused' } },
    })
    const { body: connections } = await crm.app.call<{ status: string }[]>(
      'GET',
      `${crm.base}/connections?groupRef=${group}`,
    )
    expect(connections).toMatchObject([{ status: 'bad_credentials' }])
  })

  test('is for keys of scope full', async () => {
    await install()
    const path = `//search/v1${crm.base}/integrations/crm?groupRef=${group}`
    const body = { objectName: 'contacts', fieldFilters: [equal('email', 'x')] }
    expect((await crm.app.call('POST', path, body, { apiKey: crm.app.frontendKey })).status).toBe(403)
    expect((await crm.app.call('POST', path, body, { apiKey: crm.app.otherProject.apiKey })).status).toBe(404)
  })
})
