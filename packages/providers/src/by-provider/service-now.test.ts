import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What the documentation of ServiceNow's Table API shows as answers, as far as the provider file relies on it. */

const row = (sys_id: string, sys_updated_on: string) => ({ sys_id, sys_updated_on, number: `INC-${sys_id}` })

function serviceNow({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (searchParams.get('sysparm_exclude_reference_link') !== 'true' && method !== 'DELETE')
    throw new Error('references would be objects')
  if (method === 'POST' && !body.includes('short_description'))
    return {
      status: 403,
      body: { error: { message: 'Operation Failed', detail: 'Short description is required' }, status: 'failure' },
    }
  if (method === 'POST') return { status: 201, body: { result: { sys_id: 'c', ...JSON.parse(body) } } }
  if (method === 'PATCH') return { body: { result: { sys_id: pathname.split('/').at(-1), ...JSON.parse(body) } } }
  if (method === 'DELETE') return { status: 204 }
  if (!searchParams.get('sysparm_query')?.endsWith('ORDERBYsys_id')) throw new Error('no order')
  if (searchParams.get('sysparm_offset') === '1000') return { body: { result: [row('b', '2026-01-02 10:00:00')] } }
  const next = new URL(`https://acme.service-now.com${pathname}${url.search}`)
  next.searchParams.set('sysparm_offset', '1000')
  const link = `<${next.href.replace('offset=1000', 'offset=0')}>;rel="first",<${next.href}>;rel="next"`
  return { headers: { link, 'x-total-count': '2' }, body: { result: [row('a', '2025-12-31 20:00:00')] } }
}

const metadata = { workspace: 'acme' }

it('a table is read to the page without a next link, though a page is short', async () => {
  await using provider = await openProvider('serviceNow', serviceNow, { metadata })
  const request = { object: 'incident', fields: ['number'] }
  const first = await provider.connector.readPage(request)
  expect(first).toMatchObject({ records: [{ id: 'a', fields: { number: 'INC-a' } }], total: 2 })
  const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(second.records.map(({ id }) => id)).toEqual(['b'])
  expect(second.nextPage).toBeUndefined()
})

it('a window begins early enough for every time zone, and leaves out what is older', async () => {
  await using provider = await openProvider('serviceNow', serviceNow, { metadata })
  const request = { object: 'u_own_table', fields: ['number'], since: new Date('2026-01-01T22:00:00Z') }
  const first = await provider.connector.readPage(request)
  const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(['b'])
  expect(provider.seen.map(({ url }) => [url.pathname, url.searchParams.get('sysparm_query')])).toEqual([
    ['/api/now/table/u_own_table', 'sys_updated_on>=2026-01-01 00:00:00^ORDERBYsys_id'],
    ['/api/now/table/u_own_table', 'sys_updated_on>=2026-01-01 00:00:00^ORDERBYsys_id'],
  ])
})

it('records are created, changed and deleted; a refusal says why', async () => {
  await using provider = await openProvider('serviceNow', serviceNow, { metadata })
  const { connector } = provider
  const record = { short_description: 'Printer' }
  expect(await connector.write({ object: 'incident', type: 'create', record })).toMatchObject({ recordId: 'c' })
  expect(await connector.write({ object: 'incident', type: 'update', id: 'c', record })).toMatchObject({
    recordId: 'c',
    data: record,
  })
  await connector.write({ object: 'incident', type: 'delete', id: 'c', record: {} })
  await expect(connector.write({ object: 'incident', type: 'create', record: {} })).rejects.toMatchObject({
    class: 'forbidden',
    providerMessage: 'Short description is required',
  })
})

it('a user name and a password are enough', async () => {
  const credential = { scheme: 'basic', username: 'ada', password: 'secret' } as const
  await using provider = await openProvider('serviceNow', serviceNow, { metadata, credential })
  await provider.connector.readPage({ object: 'incident', fields: ['number'] })
  expect(provider.entry.authentication.map(({ scheme }) => scheme)).toEqual(['oauth2', 'basic'])
  expect(provider.seen[0]?.headers['authorization']).toBe(`Basic ${Buffer.from('ada:secret').toString('base64')}`)
})

it.each([
  ['incident', ['incident', 'sys_audit_delete']],
  ['u_own_table', ['u_own_table']],
  ['sn_hr_core_case', ['sn_hr_core_case']],
  ['sn_customerservice_case', ['sn_customerservice_case']],
  ['cmdb_ci', ['cmdb_ci']],
  ['task', ['task']],
  ['sys_user', ['sys_user']],
  ['cmdb_ci_server', ['cmdb_ci_server']],
  ['sys_choice', ['sys_choice']],
])('deletions of %s are read from the log only if it has them', async (object, tables) => {
  await using provider = await openProvider('serviceNow', () => ({ body: { result: [] } }), { metadata })
  const since = new Date('2026-01-01T22:00:00Z')
  await readAll(provider.connector, { object, fields: ['number'], since, deletions: true })
  expect(provider.seen.map(({ url }) => url.pathname.split('/').at(-1))).toEqual(tables)
})

it('a list of ids has no other columns', async () => {
  await using provider = await openProvider('serviceNow', serviceNow, { metadata })
  await provider.connector.readPage({ object: 'cmdb_ci', fields: [], idsOnly: true })
  expect(provider.seen[0]?.url.searchParams.get('sysparm_fields')).toBe('sys_id')
})
