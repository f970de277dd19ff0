import { expect, it } from 'vitest'
import { eventNamesOf, parseEvents, webhooksOf } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'
import { entryFor, openRegistration, ours } from '../webhook-cases/webhook-case.testkit.ts'

/** What zoho.com/crm/developer/docs/api/v8 and github.com/zoho/crm-oas show, as far as the file relies on it. */

const time = '2026-01-02T10:00:00+05:30'
const ids = ['554023000000310003', '554023000000310012', '554023000000310019']
const names = ['Last_Name', 'Email', ...Array.from({ length: 70 }, (_, at) => `Custom_${at + 1}`)]
const error = (code: string, message: string, details: object = {}): Answer => ({
  status: 400,
  body: { code, message, details, status: 'error' },
})

const recordOf = (id: string, fields: readonly string[]) => ({
  id,
  ...Object.fromEntries(fields.map((name) => [name, name === 'Modified_Time' ? time : `${name} of ${id}`])),
})

function listed({ url, headers }: SeenRequest): Answer {
  const query = url.searchParams
  const fields = query.get('fields')?.split(',') ?? []
  if (fields.length === 0) return error('REQUIRED_PARAM_MISSING', 'One of the expected parameter is missing')
  if (fields.length > 50) return error('LIMIT_EXCEEDED', 'limit exceeded', { limit: 50, param_name: 'fields' })
  const some = query.get('ids')?.split(',')
  if (some) return { body: { data: some.filter((id) => ids.includes(id)).map((id) => recordOf(id, fields)), info: {} } }
  if (headers['if-modified-since'] === '2026-02-01T00:00:00Z') return { status: 304 }
  const size = Number(query.get('per_page'))
  if (!(size >= 1 && size <= 200)) return error('INVALID_DATA', 'invalid', { param_name: 'per_page' })
  const token = query.get('page_token')
  if (token === 'token-9') return error('EXPIRED_VALUE', 'Page token expired', { api_name: 'page_token' })
  const from = token === null ? 0 : Number(token.replace('token-', ''))
  const page = ids.slice(from, from + size)
  const more = from + size < ids.length
  const info = { per_page: size, count: page.length, more_records: more, next_page_token: `token-${from + size}` }
  return { body: { data: page.map((id) => recordOf(id, fields)), info } }
}

const success = (id: string, message: string) => ({
  code: 'SUCCESS',
  details: { id, Modified_Time: time },
  message,
  status: 'success',
})
const refusal = (name: string) => ({
  code: 'MANDATORY_NOT_FOUND',
  details: { api_name: name, json_path: `$.data[0].${name}` },
  message: 'required field not found',
  status: 'error',
})

function written({ method, url, body }: SeenRequest): Answer {
  if (method === 'DELETE') return { body: { data: [success(ids[0] ?? '', 'record deleted')] } }
  const { data } = JSON.parse(body) as { data: { id?: string; Last_Name?: string }[] }
  const id = /\d+$/.exec(url.pathname)?.[0]
  const results = data.map((record, at) =>
    record.Last_Name === undefined ? refusal('Last_Name') : success(id ?? record.id ?? `9${at}`, 'record saved'),
  )
  const failed = results.filter(({ status }) => status === 'error').length
  return { status: failed === 0 ? 201 : failed < results.length ? 207 : 202, body: { data: results } }
}

const fieldOf = (api_name: string, data_type: string, json_type = 'string') => ({
  api_name,
  data_type,
  json_type,
  display_label: api_name.replace('_', ' '),
  field_label: api_name,
  system_mandatory: api_name === 'Last_Name',
  custom_field: api_name.startsWith('Custom'),
  operation_type: { api_create: api_name !== 'Modified_Time', api_update: api_name !== 'Modified_Time' },
  lookup: data_type === 'lookup' ? { module: { api_name: 'Accounts', id: '1' } } : {},
  pick_list_values: data_type === 'picklist' ? [{ actual_value: 'A', display_value: 'Level A' }] : [],
})

function zohoCrm(request: SeenRequest): Answer {
  const { method, url, headers } = request
  if (headers['authorization'] !== 'Zoho-oauthtoken t1') return { status: 401, body: { code: 'INVALID_TOKEN' } }
  const path = url.pathname.replace('/crm/v8', '')
  if (path === '/settings/fields')
    return {
      body: {
        fields: [
          ...names.map((name) => fieldOf(name, 'text')),
          ...[fieldOf('Modified_Time', 'datetime'), fieldOf('Level', 'picklist')],
          ...[fieldOf('Account_Name', 'lookup', 'jsonobject'), fieldOf('Total', 'formula', 'double')],
          ...[fieldOf('Days', 'multiselectpicklist', 'jsonarray'), fieldOf('Big', 'bigint', 'integer')],
          ...['subform', 'multiselectlookup', 'multiuserlookup'].map((type) => fieldOf(type, type, 'jsonarray')),
        ],
      },
    }
  if (path === '/coql') return { body: { data: [{ id: ids[1] }], info: { count: 1, more_records: false } } }
  if (path.endsWith('/deleted')) {
    const data = [
      ['554023000000310001', '2026-01-02T12:00:00+05:30'],
      ['554023000000310002', '2026-03-02T12:00:00+05:30'],
    ].map(([id, deleted_time]) => ({ id, display_name: null, type: 'permanent', deleted_time }))
    return { body: { data, info: { per_page: 200, count: 2, page: 1, more_records: false } } }
  }
  if (path.startsWith('/Unknown')) return error('INVALID_MODULE', 'the module name given seems to be invalid')
  if (path.startsWith('/Secret'))
    return {
      status: 401,
      body: { code: 'OAUTH_SCOPE_MISMATCH', details: {}, message: 'invalid scope', status: 'error' },
    }
  if (method !== 'GET') return written(request)
  const id = /^\/\w+\/(\d+)$/.exec(path)?.[1]
  if (id === undefined) return listed(request)
  return ids.includes(id) ? { body: { data: [recordOf(id, names)] } } : { status: 204 }
}

const options = { module: 'crm', metadata: { zoho_api_domain: 'www.zohoapis.eu' } } as const
const open = (answer = zohoCrm) => openProvider('zoho', answer, options)

it('records are read by the token of each page, with the fields that were requested', async () => {
  await using provider = await open()
  const request = { object: 'Contacts', fields: ['id', 'Last_Name'], pageSize: 2 }
  const records = await readAll(provider.connector, request)
  expect(records.map(({ id, fields }) => [id, fields['last_name']])).toEqual(
    ids.map((id) => [id, `Last_Name of ${id}`]),
  )
  expect(asked(provider.seen.filter(({ url }) => url.pathname.endsWith('/Contacts')))).toEqual([
    'GET /crm/v8/Contacts?fields=Modified_Time,Last_Name&per_page=2&sort_by=id&sort_order=asc',
    'GET /crm/v8/Contacts?fields=Modified_Time,Last_Name&per_page=2&page_token=token-2&sort_by=id&sort_order=asc',
  ])
})

it('names in another letter case are requested as the account spells them', async () => {
  await using provider = await open()
  const request = { object: 'Contacts', fields: ['last_name', 'custom_7', 'unknown'] }
  const [record] = await readAll(provider.connector, request)
  expect(record?.fields).toMatchObject({ last_name: `Last_Name of ${ids[0]}`, custom_7: `Custom_7 of ${ids[0]}` })
  expect(asked(provider.seen)).toEqual([
    'GET /crm/v8/settings/fields?module=Contacts',
    'GET /crm/v8/Contacts?fields=Modified_Time,Last_Name,Custom_7,unknown&per_page=200&sort_by=id&sort_order=asc',
  ])
  await using other = await open()
  await readAll(other.connector, { object: 'Contacts', fields: ['Last_Name'] })
  expect(other.seen.map(({ url }) => url.pathname)).toEqual(['/crm/v8/Contacts'])
})

it('more fields than a request takes are read by the ids of the records', async () => {
  await using provider = await open()
  const records = await readAll(provider.connector, { object: 'Leads', fields: 'all' })
  expect(records.map(({ raw }) => [raw['id'], raw['Custom_1'], raw['Custom_70']])).toEqual(
    ids.map((id) => [id, `Custom_1 of ${id}`, `Custom_70 of ${id}`]),
  )
  const requests = provider.seen.filter(({ url }) => url.pathname.endsWith('/Leads')).map(({ url }) => url.searchParams)
  expect(requests.map((query) => query.get('fields')?.split(',').length)).toEqual([50, 29])
  // A lead that was converted is still a lead: in the list, and in the requests by ids.
  expect(requests.map((query) => query.get('converted'))).toEqual(['both', 'both'])
  expect(requests[1]?.get('ids')).toBe(ids.join(','))
})

it('changes are requested from one second before the window, and none are an empty list', async () => {
  await using provider = await open()
  const window = (since: string) => ({ object: 'Deals', fields: ['Email'], since: new Date(since) })
  expect(await readAll(provider.connector, window('2026-01-01T00:00:00Z'))).toHaveLength(3)
  expect(await readAll(provider.connector, window('2026-02-01T00:00:01Z'))).toEqual([])
  const lists = provider.seen.filter(({ url }) => url.pathname.endsWith('/Deals'))
  expect(lists.map(({ headers }) => headers['if-modified-since'])).toEqual([
    '2025-12-31T23:59:59Z',
    '2026-02-01T00:00:00Z',
  ])
})

it('deleted records are those that were deleted in the window', async () => {
  await using provider = await open()
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-02-01T00:00:00Z') }
  const records = await readAll(provider.connector, { object: 'Deals', fields: ['Email'], ...window, deletions: true })
  expect(records.filter(({ deleted }) => deleted).map(({ id }) => id)).toEqual(['554023000000310001'])
  const [list] = provider.seen.filter(({ url }) => url.pathname.endsWith('/deleted'))
  expect(asked(list ? [list] : [])).toEqual(['GET /crm/v8/Deals/deleted?per_page=200&type=all&page=1'])
  expect(list?.headers['if-modified-since']).toBe('2025-12-31T23:59:59Z')
})

it('a search is a query for ids, in which a value stays one value', async () => {
  await using provider = await open()
  const filters = [
    { field: 'Last_Name', operator: 'eq', value: `O'Brien" or id > 0` },
    { field: 'Email_Opt_Out', operator: 'eq', value: true },
  ] as const
  const found = await provider.connector.search({ object: 'Contacts', fields: ['Email'], filters })
  expect(found.records.map(({ id }) => id)).toEqual([ids[1]])
  const [query] = provider.seen.filter(({ url }) => url.pathname.endsWith('/coql'))
  expect(JSON.parse(query?.body ?? '')).toEqual({
    select_query: `select id from Contacts where Last_Name = 'O''Brien" or id > 0' and Email_Opt_Out = 'true' order by id asc limit 200 offset 0`,
  })
  expect(query?.url.search).toBe('')
  const escaping = [{ field: 'Last_Name', operator: 'eq', value: "\\' or id > 0" }] as const
  await expect(provider.connector.search({ object: 'Contacts', fields: [], filters: escaping })).rejects.toMatchObject({
    class: 'bad_request',
  })
  const three = [...filters, { field: 'Email', operator: 'eq', value: 'a' } as const]
  await expect(provider.connector.search({ object: 'Contacts', fields: [], filters: three })).rejects.toMatchObject({
    class: 'bad_request',
  })
})

it('a search ends at the records that Zoho does not return any more', async () => {
  const found = (request: SeenRequest): Answer => {
    if (!request.url.pathname.endsWith('/coql')) return zohoCrm(request)
    const offset = Number(/offset (\d+)/.exec(request.body)?.[1])
    if (offset >= 10_000) return error('LIMIT_EXCEEDED', 'max records limit exceeded')
    const data = Array.from({ length: 200 }, (_, at) => ({ id: `${offset + at + 1}` }))
    return { body: { data, info: { count: 200, more_records: true } } }
  }
  await using provider = await open(found)
  const search = async () => {
    const filters = [{ field: 'Email', operator: 'eq', value: 'a' } as const]
    let page: string | undefined
    do {
      const request = { object: 'Contacts', fields: [], filters, ...(page !== undefined && { page }) }
      page = (await provider.connector.search(request)).nextPage
    } while (page !== undefined)
  }
  await expect(search()).rejects.toMatchObject({ class: 'list_truncated' })
})

it('a record that does not exist has no content', async () => {
  await using provider = await open()
  expect(await provider.connector.fetchRecord('Contacts', ids[0] ?? '', ['Email'])).toMatchObject({ id: ids[0] })
  expect(await provider.connector.fetchRecord('Contacts', '554023000000319999', ['Email'])).toBeUndefined()
})

it('fields are those of the account, without those that lists have no values of', async () => {
  await using provider = await open()
  const { fields } = await provider.connector.describeObject('CustomModule1')
  expect(asked(provider.seen)).toEqual(['GET /crm/v8/settings/fields?module=CustomModule1'])
  const by = new Map(Object.entries(fields))
  expect(by.get('Last_Name')).toMatchObject({ valueType: 'string', isRequired: true, isCustom: false, readOnly: false })
  expect(by.get('Custom_1')).toMatchObject({ displayName: 'Custom 1', isCustom: true })
  expect(by.get('Modified_Time')).toMatchObject({ valueType: 'datetime', readOnly: true })
  expect(by.get('Level')).toMatchObject({
    valueType: 'singleSelect',
    values: [{ value: 'A', displayValue: 'Level A' }],
  })
  expect(by.get('Account_Name')).toMatchObject({ valueType: 'reference', referenceTo: ['Accounts'] })
  expect(['Total', 'Days', 'Big'].map((name) => by.get(name)?.valueType)).toEqual(['float', 'multiSelect', 'int'])
  expect([...by.keys()].filter((name) => /^(subform|multi)/.test(name))).toEqual([])
})

it('records are created, changed and deleted; a refusal with status 2xx is none the less a refusal', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const record = { Last_Name: 'Boyle' }
  expect(await connector.write({ object: 'Contacts', type: 'create', record })).toMatchObject({ recordId: '90' })
  await connector.write({ object: 'Contacts', type: 'update', id: '5', record })
  await connector.write({ object: 'Contacts', type: 'delete', id: '5', record: {} })
  expect(asked(seen)).toEqual([
    'POST /crm/v8/Contacts {"data":[{"Last_Name":"Boyle"}]}',
    'PUT /crm/v8/Contacts/5 {"data":[{"Last_Name":"Boyle"}]}',
    'DELETE /crm/v8/Contacts/5',
  ])
  const refused = connector.write({ object: 'Contacts', type: 'create', record: { Email: 'a@example.com' } })
  await expect(refused).rejects.toMatchObject({
    class: 'bad_request',
    errors: [{ message: 'MANDATORY_NOT_FOUND: Last_Name: required field not found' }],
  })
})

it('of a batch, each record has its result, and says why it was refused', async () => {
  await using provider = await open()
  const items = [{ record: { Last_Name: 'A' } }, { record: {} }, { record: { Last_Name: 'C' } }]
  const batch = { object: 'Contacts', type: 'create', allOrNone: false, items } as const
  const { status, results } = await provider.connector.writeBatch(batch)
  expect(status).toBe('partial')
  expect(results.map(({ success: done, recordId }) => [done, recordId])).toEqual([
    [true, '90'],
    [false, undefined],
    [true, '92'],
  ])
  expect(results[1]?.errors).toEqual([{ message: 'MANDATORY_NOT_FOUND: Last_Name: required field not found' }])
  const changed = [{ id: '7', record: { Last_Name: 'A' } }]
  await provider.connector.writeBatch({ ...batch, type: 'update', items: changed })
  expect(asked(provider.seen).at(-1)).toBe('PUT /crm/v8/Contacts {"data":[{"Last_Name":"A","id":"7"}]}')
})

it('of a changed batch, an error that names another record is not the result of that record', async () => {
  const duplicate = {
    status: 'error',
    code: 'DUPLICATE_DATA',
    message: 'duplicate data',
    details: { api_name: 'Email', id: '2' },
  }
  const updated = { status: 'success', code: 'SUCCESS', message: 'record updated', details: { id: '2' } }
  await using provider = await open(() => ({ status: 207, body: { data: [duplicate, updated] } }))
  const items = ['1', '2'].map((id) => ({ id, record: { Email: 'a@example.com' } }))
  const batch = { object: 'Contacts', type: 'update', allOrNone: false, items } as const
  const { successCount, results } = await provider.connector.writeBatch(batch)
  expect(successCount).toBe(1)
  expect(results).toMatchObject([
    { success: false, recordId: '1', errors: [{ message: 'DUPLICATE_DATA: Email: duplicate data' }] },
    { success: true, recordId: '2' },
  ])
})

it('errors say what is wrong: another scope, an unknown module, a page that is too old', async () => {
  await using provider = await open()
  const read = (object: string) => provider.connector.readPage({ object, fields: ['Email'], pageSize: 1 })
  await expect(read('Secret')).rejects.toMatchObject({ class: 'forbidden' })
  await expect(read('Unknown')).rejects.toMatchObject({ class: 'unsupported_object' })
  const old = (request: SeenRequest) => {
    const answer = zohoCrm(request)
    const { info } = (answer.body ?? {}) as { info?: { next_page_token?: string } }
    if (info?.next_page_token !== undefined) info.next_page_token = 'token-9'
    return answer
  }
  await using aged = await open(old)
  const request = { object: 'Contacts', fields: ['Email'], pageSize: 1 }
  await expect(readAll(aged.connector, request)).rejects.toMatchObject({ class: 'cursor_gone' })
})

it('a list that Zoho ends is not taken for all records', async () => {
  let pages = 0
  const endless = ({ url }: SeenRequest): Answer => {
    const size = Number(url.searchParams.get('per_page'))
    const data = Array.from({ length: size }, (_, at) => ({ id: `${pages * size + at + 1}`, Modified_Time: time }))
    pages++
    return { body: { data, info: { count: size, more_records: true, next_page_token: `token ${pages}` } } }
  }
  await using provider = await open(endless)
  const request = { object: 'Contacts', fields: ['Modified_Time'] }
  await expect(readAll(provider.connector, request)).rejects.toMatchObject({ class: 'list_truncated' })
  expect(pages).toBe(500)
})

it('notes have no filter for changes, and users have one', async () => {
  const users = [
    { id: '1', full_name: 'Ada', status: 'active' },
    { id: '2', full_name: 'Bob', status: 'deleted' },
  ]
  const notes = ['2026-01-03T00:00:00Z', '2026-01-01T00:00:00Z'].map((Modified_Time, at) => ({
    id: `${at}`,
    Modified_Time,
  }))
  const answer = ({ url }: SeenRequest): Answer =>
    url.pathname.endsWith('/users')
      ? { body: { users, info: { more_records: false } } }
      : { body: { data: notes, info: { more_records: false, next_page_token: null } } }
  await using provider = await open(answer)
  const window = { fields: ['id'], since: new Date('2026-01-02T00:00:00Z') }
  expect((await readAll(provider.connector, { object: 'Notes', ...window })).map(({ id }) => id)).toEqual(['0'])
  const found = await readAll(provider.connector, { object: 'users', ...window, deletions: true })
  expect(found.map(({ id, deleted }) => [id, deleted])).toEqual([
    ['1', undefined],
    ['2', true],
  ])
  expect(provider.seen.map(({ url, headers }) => [url.pathname, headers['if-modified-since']])).toEqual([
    ['/crm/v8/Notes', undefined],
    ['/crm/v8/users', '2026-01-01T23:59:59Z'],
  ])
})

it('a channel that is refused with status 2xx is not registered, and one that is not removed says so', async () => {
  const refused = { code: 'INVALID_DATA', details: { api_name: 'events' }, message: 'invalid event', status: 'error' }
  const entry = await entryFor('zoho')
  const answer: Answer = { status: 207, body: { watch: [refused] } }
  const answers = { 'POST /crm/v8/actions/watch': answer, 'DELETE /crm/v8/actions/watch': answer }
  await using opened = await openRegistration(entry, options, answers)
  const request = { key: 'Leads', object: 'Leads', events: ['Leads.insert'], ...ours }
  const failure = { class: 'bad_request', providerMessage: 'invalid event' }
  await expect(opened.subscriber.register(request)).rejects.toMatchObject({
    ...failure,
    errors: [{ message: 'INVALID_DATA: events: invalid event' }],
  })
  await expect(opened.subscriber.unregister({ ...request, id: '1' })).rejects.toMatchObject(failure)
})

it('an event of several records is one event of each', async () => {
  const webhooks = webhooksOf(await entryFor('zoho'), 'crm')
  if (webhooks === undefined) throw new Error('no webhooks')
  const body = { module: 'CustomModule1', operation: 'update', ids: ['1', '2'], server_time: 1_767_225_600_000 }
  const events = parseEvents(webhooks, body, {})
  expect(events.map(({ name, id }) => [name, id])).toEqual([
    ['CustomModule1.update', '1'],
    ['CustomModule1.update', '2'],
  ])
  expect(eventNamesOf(webhooks, 'CustomModule1')?.update).toEqual(['CustomModule1.update'])
  expect(Object.values(eventNamesOf(webhooks, 'Notes') ?? {}).flat()).toEqual([])
})

it('the file without objects asks for a refresh token with each consent, too', async () => {
  const { authentication } = await entryFor('zohoCrm')
  expect(authentication[0]).toMatchObject({ authUrlParams: { access_type: 'offline', prompt: 'consent' } })
})
