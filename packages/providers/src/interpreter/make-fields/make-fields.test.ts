import { expect, it } from 'vitest'
import { createConnector, type FieldDefinition, loadCatalogue } from '../../index.ts'
import { plainHttp, type SeenRequest, startServer } from '../../testing/http-server.testkit.ts'
import { thingsProvider } from '../../testing/provider.testkit.ts'
import { testCache } from '../../testing/test-cache.testkit.ts'

const text: FieldDefinition = { fieldName: 'tier', displayName: 'Tier', valueType: 'string' }
const bodyOf = ({ body }: SeenRequest) => (body === '' ? undefined : (JSON.parse(body) as unknown))

async function hubSpot(answer: (request: SeenRequest) => { status?: number; body?: unknown }) {
  const server = await startServer((request) => {
    const answered = answer(request)
    return { status: answered.status ?? 200, body: answered.body ?? {} }
  })
  const entry = (await loadCatalogue({ cacheDir: testCache })).find('hubspot')
  if (entry === undefined) throw new Error('no hubspot')
  const rewrite = { from: 'https://api.hubapi.com', to: server.origin }
  const connection = { metadata: {}, credential: { scheme: 'apiKey', apiKey: 'pat-1' } } as const
  const asked = () =>
    server.seen
      .filter(({ method, url }) => method !== 'GET' && url.pathname !== '/crm/v3/objects')
      .map((request) => [request.method, request.url.pathname, bodyOf(request)])
  return { server, asked, connector: createConnector(entry, connection, plainHttp(fetch, rewrite)) }
}

const known = [
  { name: 'email', label: 'Email', type: 'string', fieldType: 'text', hubspotDefined: true },
  { name: 'size', label: 'Size', type: 'number', fieldType: 'number' },
  {
    name: 'plan',
    label: 'Plan',
    type: 'enumeration',
    fieldType: 'select',
    options: [{ label: 'Gold!', value: 'gold' }],
  },
]
const properties = ({ method, url }: SeenRequest) =>
  method === 'GET' ? { body: url.pathname === '/crm/v3/properties/contacts' ? { results: known } : {} } : undefined

it('HubSpot: fields are made in a group of their own, with their choices', async () => {
  const { server, connector, asked } = await hubSpot(
    (request) => properties(request) ?? { body: { name: 'tier', archived: false } },
  )
  await using _ = server
  const done = await connector.upsertFields('contacts', [
    { ...text, description: 'How they pay', unique: true, required: true },
    {
      ...text,
      fieldName: 'mood',
      displayName: 'Mood',
      valueType: 'multiSelect',
      stringOptions: { values: ['up', 'down'] },
    },
    { ...text, fieldName: 'vip', displayName: 'VIP', valueType: 'boolean' },
  ])
  const group = { groupName: 'integrationcreatedproperties' }
  expect(asked()).toEqual([
    [
      'POST',
      '/crm/v3/properties/contacts/groups',
      { name: 'integrationcreatedproperties', label: 'Integration-created properties' },
    ],
    [
      'POST',
      '/crm/v3/properties/contacts',
      {
        name: 'tier',
        label: 'Tier',
        type: 'string',
        fieldType: 'text',
        description: 'How they pay',
        hasUniqueValue: true,
        ...group,
      },
    ],
    [
      'POST',
      '/crm/v3/properties/contacts',
      {
        name: 'mood',
        label: 'Mood',
        type: 'enumeration',
        fieldType: 'checkbox',
        options: [
          { label: 'up', value: 'up' },
          { label: 'down', value: 'down' },
        ],
        ...group,
      },
    ],
    [
      'POST',
      '/crm/v3/properties/contacts',
      {
        name: 'vip',
        label: 'VIP',
        type: 'bool',
        fieldType: 'booleancheckbox',
        options: [
          { label: 'Yes', value: 'true' },
          { label: 'No', value: 'false' },
        ],
        ...group,
      },
    ],
  ])
  expect(done.map(({ fieldName, action, success }) => [fieldName, action, success])).toEqual([
    ['tier', 'create', true],
    ['mood', 'create', true],
    ['vip', 'create', true],
  ])
  expect(done[0]).toMatchObject({
    metadata: { name: 'tier', archived: false },
    warnings: ['The provider takes no `required` here: it was left out.'],
  })
})

it('HubSpot: a group that is there is no failure, and what it refuses of one field says so of that alone', async () => {
  const { server, connector } = await hubSpot((request) => {
    if (request.url.pathname.endsWith('/groups')) return { status: 409, body: { message: 'exists' } }
    if (request.body.includes('"bad"')) return { status: 400, body: { message: 'Property name is reserved' } }
    return properties(request) ?? {}
  })
  await using _ = server
  const done = await connector.upsertFields('contacts', [{ ...text, fieldName: 'bad' }, text])
  expect(done).toMatchObject([
    {
      fieldName: 'bad',
      action: 'none',
      success: false,
      warnings: [expect.stringContaining('Property name is reserved')],
    },
    { fieldName: 'tier', action: 'create', success: true, warnings: [] },
  ])
})

it('HubSpot: a field that is there is changed; choices are added and keep their labels', async () => {
  const { server, connector, asked } = await hubSpot((request) => properties(request) ?? {})
  await using _ = server
  const plan = { ...text, fieldName: 'PLAN', displayName: 'Plan', valueType: 'singleSelect' as const }
  expect(
    await connector.upsertFields('contacts', [{ ...plan, stringOptions: { values: ['gold', 'free'] } }]),
  ).toMatchObject([{ fieldName: 'PLAN', action: 'update', success: true }])
  expect(asked()).toEqual([
    [
      'PATCH',
      '/crm/v3/properties/contacts/plan',
      {
        label: 'Plan',
        options: [
          { label: 'Gold!', value: 'gold' },
          { label: 'free', value: 'free' },
        ],
      },
    ],
  ])
})

it('a field that is as wanted is not touched; of another type, or the provider’s own, it is told', async () => {
  const { server, connector, asked } = await hubSpot((request) => properties(request) ?? {})
  await using _ = server
  const done = await connector.upsertFields('contacts', [
    { ...text, fieldName: 'plan', displayName: 'Plan', valueType: 'singleSelect', stringOptions: { values: ['gold'] } },
    // HubSpot has one type for whole and other numbers.
    { ...text, fieldName: 'size', displayName: 'Size', valueType: 'int' },
    { ...text, fieldName: 'size', displayName: 'Size', valueType: 'date' },
    { ...text, fieldName: 'email', displayName: 'E-mail' },
  ])
  expect(done).toMatchObject([
    { action: 'none', success: true, warnings: [] },
    { action: 'none', success: true, warnings: [] },
    { action: 'none', success: false, warnings: [expect.stringContaining('the type float')] },
    { action: 'none', success: false, warnings: [expect.stringContaining('provider’s own')] },
  ])
  expect(asked()).toEqual([])
})

it('what says something of the connection ends the whole', async () => {
  const { server, connector } = await hubSpot((request) =>
    request.method === 'POST' ? { status: 401, body: { message: 'expired' } } : (properties(request) ?? {}),
  )
  await using _ = server
  await expect(connector.upsertFields('contacts', [text])).rejects.toMatchObject({ class: 'auth_invalidated' })
})

it('a field whose change needs its id is asked for first, and further requests follow on one that was made', async () => {
  const entry = thingsProvider(
    `read: { path: /things }
fields: [{ source: live, path: /fields, name: name, valueType: [{ is: string }] }]
makeFields:
  types: { string: { name: Text } }
  create: { path: '/tooling/CustomField', body: { FullName: '{{object}}.{{field.name}}__c', Metadata: { label: '{{field.label}}', type: '{{type.name}}', length: { $value: field.length } } } }
  before: [{ path: /sets, unless: [409] }, { path: /sets, method: GET, take: { set: '0.id' } }]
  find:
    - { path: /query, query: { q: "Name = '{{field.name}}'" }, take: { id: { path: records.0.Id, capture: '(?<result>[^.]+)$' } } }
    - { path: '/tooling/CustomField/{{id}}', take: { known: Metadata } }
  update: { path: '/tooling/CustomField/{{id}}', body: { Metadata: { $spread: known, label: '{{field.label}}' } } }
  after: [{ path: /permissions, body: { Set: '{{set}}', Field: '{{object}}.{{field.name}}' } }]`,
  )
  await using server = await startServer(({ method, url }) => {
    if (url.pathname === '/api/fields') return { body: [{ name: 'old' }] }
    if (url.pathname === '/api/sets') return method === 'GET' ? { body: [{ id: 'S1' }] } : { status: 409, body: {} }
    if (method === 'GET' && url.pathname.startsWith('/api/tooling'))
      return { body: { Metadata: { type: 'Text', label: 'Old', length: 80 } } }
    return { body: url.pathname === '/api/query' ? { records: [{ Id: 'Thing.00N1' }] } : {} }
  })
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } } as const
  const connector = createConnector(entry, connection, plainHttp(fetch))
  expect(connector.definableTypes('things')).toEqual(['string'])
  expect(connector.definableTypes('others')).toEqual([])
  await connector.upsertFields('things', [
    { ...text, stringOptions: { length: 40 } },
    { ...text, fieldName: 'old', displayName: 'Older' },
  ])
  expect(
    server.seen
      .slice(1)
      .map((request) => [
        request.method,
        decodeURIComponent(request.url.pathname + request.url.search),
        bodyOf(request),
      ]),
  ).toEqual([
    ['POST', '/api/sets', undefined],
    ['GET', '/api/sets', undefined],
    [
      'POST',
      '/api/tooling/CustomField',
      { FullName: 'things.tier__c', Metadata: { label: 'Tier', type: 'Text', length: 40 } },
    ],
    ['POST', '/api/permissions', { Set: 'S1', Field: 'things.tier' }],
    ['GET', "/api/query?q=Name = 'old'", undefined],
    ['GET', '/api/tooling/CustomField/00N1', undefined],
    ['PATCH', '/api/tooling/CustomField/00N1', { Metadata: { type: 'Text', label: 'Older', length: 80 } }],
  ])
})

it('a field that was made counts as made, though what follows on it is refused', async () => {
  const entry = thingsProvider(
    `read: { path: /things }
fields: [{ source: live, path: /fields, name: name, valueType: [{ is: string }] }]
makeFields:
  types: { string: { name: Text } }
  create: { path: /fields, body: { name: '{{field.name}}', label: '{{field.label}}' } }
  after: [{ path: /permissions, body: { field: '{{field.name}}' } }]`,
  )
  await using server = await startServer(({ method, url }) => {
    if (url.pathname === '/api/permissions') return { status: 403, body: { message: 'not allowed' } }
    return { body: method === 'GET' ? [] : {} }
  })
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } } as const
  const connector = createConnector(entry, connection, plainHttp(fetch))
  expect(await connector.upsertFields('things', [text])).toMatchObject([
    { action: 'create', success: true, warnings: [expect.stringMatching(/was made.*not allowed/)] },
  ])
})

it.each([
  ['a variable that nobody fills', 'create: { path: "/{{id}}" }', /uses the variable "id"/],
  ['a type that no field has', 'types: { other: { name: x } }\n  create: { path: /x }', /types/],
  ['no types', 'types: {}\n  create: { path: /x }', /types/],
])('a file with %s is refused', (_, declared, message) => {
  const types = declared.startsWith('types') ? '' : 'types: { string: { name: Text } }\n  '
  expect(() => thingsProvider(`read: { path: /things }\nmakeFields:\n  ${types}${declared}`)).toThrow(message)
})
