import { expect, it } from 'vitest'
import { createConnector, loadCatalogue } from '../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'

const key = 'b7da440423b4910b25d7ad2c338f847662b024ff'

const issue = (id: number, updated_on: string, rest: object = {}) => ({
  id,
  project: { id: 1, name: 'Sales' },
  status: { id: 5, name: 'Closed', is_closed: true },
  subject: `Issue ${id}`,
  custom_fields: [
    { id: 2, name: 'Stage', value: 'won' },
    { id: 3, name: 'Areas', multiple: true, value: [] },
  ],
  updated_on,
  ...rest,
})

/** What Redmine 5 answers, as far as the provider file relies on it; the end-to-end test runs the real one. */
function redmine({ method, url, headers, body }: SeenRequest): Answer {
  const known = headers['x-redmine-api-key'] === key
  const path = url.pathname.replace('/redmine/', '/')
  const json = { 'content-type': 'application/json' }
  if (path === '/users/current.json') return known ? { body: { user: { id: 1 } } } : { status: 401, headers: json }
  if (path === '/issues.json' && method === 'POST') {
    const { issue: given } = JSON.parse(body) as { issue: { subject?: string } }
    const errors = ['Stage is not included in the list', 'Subject cannot be blank']
    return given.subject === undefined ? { status: 422, body: { errors } } : { status: 201, body: { issue: { id: 9 } } }
  }
  if (path === '/issues.json') {
    const from = Number(url.searchParams.get('issue_id')?.slice(2) ?? 0)
    const all = [issue(1, '2026-01-01T10:00:00Z'), issue(2, '2026-01-02T10:00:01Z'), issue(3, '2026-01-02T10:00:00Z')]
    const left = all.filter(({ id }) => id >= from)
    return { body: { issues: left.slice(0, Number(url.searchParams.get('limit'))), total_count: left.length } }
  }
  if (path === '/custom_fields.json') {
    const possible_values = [{ value: 'won', label: 'won' }]
    const stage = { id: 2, name: 'Stage', customized_type: 'issue', field_format: 'list', multiple: false }
    const budget = { id: 4, name: 'Budget', customized_type: 'project', field_format: 'int' }
    return { body: { custom_fields: [{ ...stage, is_required: true, possible_values }, budget] } }
  }
  if (method === 'GET')
    return { body: { [path.split('/').at(-1)?.replace('.json', '') ?? '']: [{ id: 5, name: 'X' }] } }
  return { status: 204 }
}

async function connect(apiKey = key) {
  const server = await startServer(redmine)
  const entry = (await loadCatalogue({ cacheDir: testCache })).find('redmine')
  if (entry === undefined) throw new Error('no redmine')
  const connection = {
    metadata: { url: `${server.origin}/redmine` },
    credential: { scheme: 'apiKey', apiKey },
  } as const
  return { server, connector: createConnector(entry, connection, plainHttp(fetch)) }
}

it('issues of a window come in the order of ids, each page from the last id on, closed ones too', async () => {
  const { server, connector } = await connect()
  await using _ = server
  const window = { since: new Date('2026-01-01T10:00:00.400Z'), until: new Date('2026-01-02T10:00:00.400Z') }
  const request = { object: 'issues', fields: ['subject', 'status_id', 'cf_2', 'cf_3'], pageSize: 2, ...window }
  const first = await connector.readPage(request)
  expect(first.total).toBe(3)
  expect(first.records).toMatchObject([
    { id: '1', fields: { subject: 'Issue 1', status_id: 5, cf_2: 'won', cf_3: [] } },
  ])
  const second = await connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(second.records.map(({ id }) => id)).toEqual(['3'])
  const asked = server.seen.filter(({ url }) => url.pathname.endsWith('/issues.json'))
  const shared = { status_id: '*', sort: 'id', limit: '2', updated_on: '>=2026-01-01T10:00:00Z' }
  expect(asked.map(({ url }) => Object.fromEntries(url.searchParams))).toEqual([shared, { ...shared, issue_id: '>=2' }])
})

it('a page of strangers is none: a wrong key is found, though the list was answered', async () => {
  const { server, connector } = await connect('wrong')
  await using _ = server
  const refused = { class: 'auth_invalidated', status: 401 }
  await expect(connector.checkHealth()).rejects.toMatchObject(refused)
  await expect(connector.readPage({ object: 'issues', fields: 'all' })).rejects.toMatchObject(refused)
})

it('its own fields are described by their labels, and references with their choices', async () => {
  const { server, connector } = await connect()
  await using _ = server
  const { fields } = await connector.describeObject('issues')
  expect(fields).toMatchObject({
    status_id: { valueType: 'reference', referenceTo: ['issue_statuses'], values: [{ value: '5', displayValue: 'X' }] },
    cf_2: { displayName: 'Stage', valueType: 'singleSelect', isCustom: true, isRequired: true },
  })
  expect(fields).not.toHaveProperty('cf_4')
})

it('is written in its own shapes, and says all that is wrong with a record', async () => {
  const { server, connector } = await connect()
  await using _ = server
  const record = { project_id: 1, subject: 'A', cf_2: 'won', cf_3: ['north'] }
  expect(await connector.write({ object: 'issues', type: 'create', record })).toMatchObject({ recordId: '9' })
  await connector.write({ object: 'issues', type: 'update', id: '9', record: { status_id: 5, notes: 'Done' } })
  await connector.write({ object: 'issues', type: 'delete', id: '9', record: {} })
  await connector.write({ object: 'versions', type: 'create', record: { project_id: 'sales', name: '1.0' } })
  expect(server.seen.map(({ method, url, body }) => [method, url.pathname, body && JSON.parse(body)])).toEqual([
    [
      'POST',
      '/redmine/issues.json',
      {
        issue: {
          project_id: 1,
          subject: 'A',
          custom_fields: [
            { id: '2', value: 'won' },
            { id: '3', value: ['north'] },
          ],
        },
      },
    ],
    ['PUT', '/redmine/issues/9.json', { issue: { status_id: 5, notes: 'Done' } }],
    ['DELETE', '/redmine/issues/9.json', ''],
    ['POST', '/redmine/projects/sales/versions.json', { version: { name: '1.0' } }],
  ])
  await expect(connector.write({ object: 'issues', type: 'create', record: {} })).rejects.toMatchObject({
    class: 'bad_request',
    errors: [{ message: 'Stage is not included in the list' }, { message: 'Subject cannot be blank' }],
  })
})

it('finds issues by what it knows as filters, and refuses the others, which it would pass over', async () => {
  const { server, connector } = await connect()
  await using _ = server
  const by = (field: string) => [{ field, operator: 'eq', value: 5 }] as const
  await connector.search({ object: 'issues', fields: 'all', filters: by('status_id') })
  // Of two values of a parameter Redmine takes the last.
  expect(server.seen[0]?.url.searchParams.getAll('status_id')).toEqual(['*', '5'])
  await expect(connector.search({ object: 'issues', fields: 'all', filters: by('cf_2') })).rejects.toMatchObject({
    class: 'bad_request',
  })
})
