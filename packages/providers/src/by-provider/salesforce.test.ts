import { expect, it } from 'vitest'
import { createConnector, loadCatalogue } from '../index.ts'
import { plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'

/** What the recordings of Salesforce do not show: windows, filters, refusals inside a 200, and fields that are made. */

const catalogue = await loadCatalogue({ cacheDir: testCache })

async function salesforce(answer: (request: SeenRequest) => { status?: number; body?: unknown }) {
  const server = await startServer((request) => {
    const { status = 200, body = {} } = answer(request)
    return { status, body }
  })
  const entry = catalogue.find('salesforce')
  if (entry === undefined) throw new Error('no salesforce')
  const connection = {
    module: 'crm',
    metadata: { workspace: 'acme' },
    credential: { scheme: 'oauth2', accessToken: 'token' },
  } as const
  const from = 'https://acme.my.salesforce.com'
  const connector = createConnector(entry, connection, plainHttp(fetch, { from, to: server.origin }))
  return { server, connector, asked: () => server.seen.map(({ url }) => url.searchParams.get('q')) }
}

const nothing = () => ({ body: { records: [], totalSize: 0, done: true } })
const window = { since: new Date('2026-01-01T00:00:00.900Z'), until: new Date('2026-02-01T00:00:00Z') }

it.each([
  ['Invoice__c', 'SystemModstamp'],
  ['Invoice__History', 'CreatedDate'],
  ['ContactHistory', 'CreatedDate'],
  ['AccountShare', 'LastModifiedDate'],
  ['Invoice__Share', 'LastModifiedDate'],
  ['LoginHistory', 'LoginTime'],
])('a window of %s is one of %s, with the filters of the config', async (object, time) => {
  const { server, connector, asked } = await salesforce(nothing)
  await using _ = server
  const filters = [
    { field: 'Name', operator: 'eq' as const, value: "O'Neil \\ Co" },
    { field: 'Active__c', operator: 'eq' as const, value: true },
  ]
  expect(connector.canFilter(object)).toBe(true)
  await connector.readPage({ object, fields: ['name', 'Owner.Name'], filters, ...window })
  expect(asked()).toEqual([
    `SELECT Id,name,Owner.Name FROM ${object} WHERE ${time} >= 2026-01-01T00:00:00Z AND ${time} <= 2026-02-01T00:00:00Z` +
      " AND Name = 'O\\'Neil \\\\ Co' AND Active__c = true",
  ])
})

it('a value of a linked record is asked for and told by the names that lead to it', async () => {
  const owner = { attributes: { type: 'User' }, Name: 'Ada' }
  const { server, connector } = await salesforce(() => ({ body: { records: [{ Id: '001A', Owner: owner }] } }))
  await using _ = server
  const { records } = await connector.readPage({ object: 'Account', fields: ['Owner.Name'] })
  expect(records[0]?.fields).toEqual({ 'owner.name': 'Ada' })
})

it('fields that a URL has no room for come from a request with a body, of the same version', async () => {
  const names = Array.from({ length: 600 }, (_, at) => `Custom_Field_Number_${at}__c`)
  const changed = '2026-01-05T00:00:00.000+0000'
  const values = (fields: readonly string[]) =>
    Object.fromEntries(fields.map((name) => [name, name === 'SystemModstamp' ? changed : `of ${name}`]))
  const { server, connector, asked } = await salesforce(({ method, url, body }) => {
    if (method === 'POST' && url.pathname === '/services/data/v60.0/composite/sobjects/Account') {
      const { ids, fields } = JSON.parse(body) as { ids: string[]; fields: string[] }
      return { body: ids.map((Id) => (Id === '001B' ? null : { ...values(fields), Id })) }
    }
    const columns = /^SELECT (.*) FROM Account/.exec(url.searchParams.get('q') ?? '')?.[1]?.split(',') ?? []
    return { body: { records: ['001A', '001B'].map((Id) => ({ ...values(columns), Id })), done: true } }
  })
  await using _ = server
  const { records } = await connector.readPage({ object: 'Account', fields: names })
  // The second was deleted between the two requests.
  expect(records.map(({ id, fields }) => [id, Object.keys(fields).length])).toEqual([['001A', 600]])
  expect(Object.values(records[0]?.fields ?? {})).not.toContain(undefined)
  expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'POST'])
  expect(asked()[0]).toMatch(/^SELECT Id,SystemModstamp,Custom_Field_Number_0__c,/)
  for (const { url } of server.seen) expect(url.href.length).toBeLessThan(16_384)
})

it('several records are read by their ids in one query', async () => {
  const { server, connector, asked } = await salesforce(() => ({
    body: { records: [{ Id: '006A', Name: 'a', AccountId: '001' }] },
  }))
  await using _ = server
  const found = await connector.fetchRecords('opportunity', ['006A', "006B'"], ['Name', 'accounts'])
  expect(asked()).toEqual(["SELECT Id,Name,AccountId FROM opportunity WHERE Id IN ('006A','006B\\'')"])
  expect([...found.values()]).toMatchObject([
    { id: '006A', fields: { name: 'a' }, associations: { accounts: [{ id: '001' }] } },
  ])
})

it('no name of a field or of an object becomes more of the query', async () => {
  const { server, connector, asked } = await salesforce(nothing)
  await using _ = server
  const hostile = 'Id FROM User'
  await expect(connector.readPage({ object: 'Account', fields: [hostile] })).rejects.toMatchObject({
    class: 'bad_request',
  })
  await expect(connector.readPage({ object: `Account WHERE x`, fields: ['Id'] })).rejects.toMatchObject({
    class: 'unsupported_object',
  })
  expect(asked()).toEqual([])
})

it('an account that is reached by a signed assertion has the same objects', async () => {
  await using server = await startServer(nothing)
  const entry = catalogue.find('salesforceJWT')
  if (entry === undefined) throw new Error('no salesforceJWT')
  const credential = { scheme: 'custom', values: { accessToken: 'token' } } as const
  const rewrite = { from: 'https://acme.my.salesforce.com', to: server.origin }
  const connector = createConnector(entry, { metadata: { workspace: 'acme' }, credential }, plainHttp(fetch, rewrite))
  await connector.readPage({ object: 'Invoice__c', fields: ['Name'] })
  expect(server.seen.map(({ url }) => url.searchParams.get('q'))).toEqual(['SELECT Id,Name FROM Invoice__c'])
  expect(connector.canWrite('Account', 'update')).toBe(true)
})

it('a history is not written, everything else is', async () => {
  const { server, connector } = await salesforce(nothing)
  await using _ = server
  expect(connector.canWrite('ContactHistory', 'create')).toBe(false)
  expect(connector.definableTypes('ContactHistory')).toEqual([])
  expect(connector.canWrite('Invoice__c', 'create')).toBe(true)
  expect(connector.batchSizeMax('contact', 'update')).toBe(200)
})

it.each([
  [404, 'not_found'],
  [403, 'forbidden'],
  [401, 'auth_invalidated'],
])('a description that is refused with %i inside the answer is %s', async (httpStatusCode, refusal) => {
  const { server, connector } = await salesforce(() => ({
    body: { compositeResponse: [{ httpStatusCode, body: [{ errorCode: 'X', message: 'no such object' }] }] },
  }))
  await using _ = server
  await expect(connector.describeObject('Foo__c')).rejects.toMatchObject({
    class: refusal,
    providerMessage: 'no such object',
  })
})

it.each([
  [400, 'INVALID_QUERY_LOCATOR', 'cursor_gone'],
  [403, 'REQUEST_LIMIT_EXCEEDED', 'rate_limited'],
  [401, 'INVALID_SESSION_ID', 'auth_invalidated'],
])('%i %s is %s', async (status, errorCode, refusal) => {
  const { server, connector } = await salesforce(() => ({ status, body: [{ errorCode, message: 'said so' }] }))
  await using _ = server
  await expect(connector.readPage({ object: 'Account', fields: ['Id'] })).rejects.toMatchObject({
    class: refusal,
    providerMessage: 'said so',
  })
})

const fields = [
  { name: 'Name', label: 'Name', type: 'string', custom: false, createable: true, updateable: true },
  {
    name: 'Plan__c',
    label: 'Plan',
    type: 'picklist',
    custom: true,
    createable: true,
    updateable: true,
    picklistValues: [{ value: 'gold', label: 'Gold!' }],
  },
  { name: 'Size__c', label: 'Size', type: 'double', scale: 0, custom: true, createable: true, updateable: true },
]

const gold = { valueName: 'gold', label: 'Gold!', default: true, color: null }
const plan = {
  type: 'Picklist',
  label: 'Plan',
  trackHistory: true,
  valueSet: { restricted: true, valueSetDefinition: { sorted: true, value: [gold] } },
}

/** An account with these fields, whose permission set is there and is not assigned. */
function organization({ method, url }: SeenRequest): { status?: number; body?: unknown } {
  const path = url.pathname.replace('/services/data/v60.0', '')
  if (path === '/composite') return { body: { compositeResponse: [{ httpStatusCode: 200, body: { fields } }] } }
  if (path === '/sobjects/PermissionSet') return { status: 400, body: [{ errorCode: 'DUPLICATE_DEVELOPER_NAME' }] }
  if (path === '/query') return { body: { records: [{ Id: '0PS1' }] } }
  if (path === '/services/oauth2/userinfo') return { body: { user_id: '0051' } }
  if (path === '/tooling/query') return { body: { records: [{ DurableId: 'Account.00N1' }] } }
  if (method === 'GET') return { body: { Metadata: plan } }
  return { status: 201, body: { id: '00N2', success: true, errors: [] } }
}

const sent = (seen: readonly SeenRequest[], pathPart: string) =>
  seen
    .filter(({ method, url }) => method !== 'GET' && url.pathname.includes(pathPart))
    .map(({ method, url, body }) => [method, url.pathname.split('/').at(-1), JSON.parse(body) as unknown])

it('a field is made, and a permission set lets the connected user see it', async () => {
  const { server, connector } = await salesforce(organization)
  await using _ = server
  const done = await connector.upsertFields('Account', [
    { fieldName: 'Tier__c', displayName: 'Tier', valueType: 'string', stringOptions: { length: 40 }, indexed: true },
    { fieldName: 'Mood__c', displayName: 'Mood', valueType: 'multiSelect', stringOptions: { values: ['up', 'down'] } },
    {
      fieldName: 'Partner__c',
      displayName: 'Partner',
      valueType: 'reference',
      association: { associationType: 'lookup', targetObject: 'Account', reverseLookupFieldName: 'Partners' },
    },
  ])
  expect(sent(server.seen, '/tooling/')).toEqual([
    [
      'POST',
      'CustomField',
      {
        FullName: 'Account.Tier__c',
        Metadata: { type: 'Text', length: 40, label: 'Tier', externalId: true },
      },
    ],
    [
      'POST',
      'CustomField',
      {
        FullName: 'Account.Mood__c',
        Metadata: {
          type: 'MultiselectPicklist',
          visibleLines: 4,
          label: 'Mood',
          valueSet: {
            valueSetDefinition: {
              sorted: false,
              value: [
                { valueName: 'up', label: 'up', default: false },
                { valueName: 'down', label: 'down', default: false },
              ],
            },
          },
        },
      },
    ],
    [
      'POST',
      'CustomField',
      {
        FullName: 'Account.Partner__c',
        Metadata: { type: 'Lookup', label: 'Partner', referenceTo: 'Account', relationshipName: 'Partners' },
      },
    ],
  ])
  const seen = { ParentId: '0PS1', SobjectType: 'Account', PermissionsRead: true, PermissionsEdit: true }
  expect(sent(server.seen, '/sobjects/').filter(([, name]) => name !== 'CustomField')).toEqual([
    [
      'POST',
      'PermissionSet',
      { Name: 'IntegrationCustomFieldVisibility', Label: 'Integration Custom Field Visibility' },
    ],
    ['POST', 'PermissionSetAssignment', { AssigneeId: '0051', PermissionSetId: '0PS1' }],
    ['POST', 'FieldPermissions', { ...seen, Field: 'Account.Tier__c' }],
    ['POST', 'FieldPermissions', { ...seen, Field: 'Account.Mood__c' }],
    ['POST', 'FieldPermissions', { ...seen, Field: 'Account.Partner__c' }],
  ])
  expect(done.map(({ action, success, warnings }) => [action, success, ...warnings])).toEqual([
    ['create', true],
    ['create', true],
    ['create', true],
  ])
})

it('a field that is there keeps what is not changed; one of Salesforce’s own, or as wanted, is left alone', async () => {
  const { server, connector } = await salesforce(organization)
  await using _ = server
  const done = await connector.upsertFields('Account', [
    { fieldName: 'plan__c', displayName: 'Plan', valueType: 'singleSelect', stringOptions: { values: ['free'] } },
    { fieldName: 'Size__c', displayName: 'Size', valueType: 'int' },
    { fieldName: 'Name', displayName: 'Full name', valueType: 'string' },
  ])
  expect(sent(server.seen, '/tooling/')).toEqual([
    [
      'PATCH',
      '00N1',
      {
        Metadata: {
          ...plan,
          valueSet: {
            restricted: true,
            valueSetDefinition: {
              sorted: true,
              value: [gold, { valueName: 'free', label: 'free', default: false }],
            },
          },
        },
      },
    ],
  ])
  expect(done.map(({ action, success }) => [action, success])).toEqual([
    ['update', true],
    ['none', true],
    ['none', false],
  ])
})

it('archived tasks with more fields than fit a URL are read whole, by a query that returns archived ones', async () => {
  const names = Array.from({ length: 600 }, (_, at) => `Custom_Field_Number_${at}__c`)
  const ids = Array.from({ length: 150 }, (_, at) => `00T${String(at).padStart(15, '0')}`)
  const { server, connector } = await salesforce(({ url }) => {
    const query = url.searchParams.get('q') ?? ''
    const columns = /^SELECT (.*) FROM Task/.exec(query)?.[1]?.split(',') ?? []
    const asked = query.includes(' IN (') ? ids.filter((id) => query.includes(id)) : ids
    const values = Object.fromEntries(columns.map((name) => [name, 'a']))
    const isArchived = url.pathname.endsWith('/queryAll')
    return { body: { records: isArchived ? asked.map((Id) => ({ ...values, Id })) : [], done: true } }
  })
  await using _ = server
  const { records } = await connector.readPage({ object: 'Task', fields: names })
  expect(records.map(({ fields }) => Object.keys(fields).length)).toEqual(ids.map(() => 600))
  for (const { url } of server.seen) expect(url.href.length).toBeLessThan(16_384)
})

it('archived tasks and events are read, and deleted ones only where they are requested', async () => {
  const { server, connector, asked } = await salesforce(nothing)
  await using _ = server
  const since = new Date('2026-01-01T00:00:00Z')
  await connector.readPage({ object: 'Task', fields: ['Subject'] })
  await connector.readPage({ object: 'Event', fields: ['Subject'], since })
  await connector.readPage({ object: 'Task', fields: ['Subject'], since, deletions: true })
  await connector.fetchRecords('Task', ['00T1', '00T2'], ['Subject'])
  expect(asked()).toEqual([
    'SELECT Id,Subject FROM Task WHERE IsDeleted = false',
    'SELECT Id,Subject FROM Event WHERE IsDeleted = false AND SystemModstamp >= 2026-01-01T00:00:00Z',
    'SELECT Id,IsDeleted,Subject FROM Task WHERE SystemModstamp >= 2026-01-01T00:00:00Z',
    "SELECT Id,Subject FROM Task WHERE IsDeleted = false AND Id IN ('00T1','00T2')",
  ])
  for (const { url } of server.seen) expect(url.pathname).toBe('/services/data/v60.0/queryAll')
})
