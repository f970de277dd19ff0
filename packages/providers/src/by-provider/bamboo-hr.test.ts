import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What documentation.bamboohr.com/reference shows as answers, as far as the provider file relies on it. */

interface Report {
  fields?: string[]
  filters?: { lastChanged?: { includeNull?: string; value?: string } }
  firstName?: string
}

function bambooHR({ method, url, headers, body }: SeenRequest): Answer {
  const path = url.pathname.replace('/api/gateway.php/acme/v1', '')
  if (headers['accept'] !== 'application/json') return { body: '<xml/>' }
  if (path === '/meta/fields')
    return {
      body: [
        { id: 1, name: 'First Name', type: 'text', alias: 'firstName' },
        { id: 3, name: 'Hire Date', type: 'date', alias: 'hireDate' },
        { id: 4000, name: 'Table', type: 'list' },
      ],
    }
  if (path === '/applicant_tracking/applications') {
    const last = url.searchParams.get('page') === '2'
    return { body: { paginationComplete: last, applications: [{ id: last ? 2 : 1 }] } }
  }
  if (path === '/employees/changed') {
    if (method !== 'GET' || url.searchParams.get('type') !== 'deleted') throw new Error('not the deleted employees')
    const employees = { '8': { id: '8', action: 'Deleted', lastChanged: '2026-01-01T10:00:00+00:00' } }
    return { body: { latest: '2026-01-01T10:00:00+00:00', employees } }
  }
  if (path === '/time_off/requests')
    return {
      body: url.searchParams.get('start') && url.searchParams.get('end') ? [{ id: '1342' }] : { error: 'dates' },
    }
  const sent = (body === '' ? {} : JSON.parse(body)) as Report
  if (path === '/reports/custom') {
    if (url.searchParams.get('onlyCurrent') !== 'false') throw new Error('employees are missing')
    return { body: { title: 'Employees', employees: [{ id: '1', firstName: 'Ada', lastChanged: null }] } }
  }
  if (method === 'GET') return { body: { id: '1', firstName: 'Ada' } }
  if (sent.firstName === undefined) return { status: 400, headers: { 'x-bamboohr-error-message': 'First name' } }
  return path === '/employees/'
    ? { status: 201, headers: { location: 'https://api.bamboohr.com/api/gateway.php/acme/v1/employees/44259' } }
    : { status: 200 }
}

const options = {
  metadata: { companyDomain: 'acme' },
  credential: { scheme: 'basic', username: 'k1', password: 'x' },
} as const

it('employees are read in one report with the fields that are wanted, those of a window by their change', async () => {
  await using provider = await openProvider('bambooHR', bambooHR, options)
  const { connector, seen } = provider
  const all = await connector.readPage({ object: 'employees', fields: ['firstName'] })
  expect(all).toMatchObject({ records: [{ id: '1', fields: { firstname: 'Ada' } }] })
  expect(all.nextPage).toBeUndefined()
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
    title: 'Employees',
    fields: ['id', 'lastChanged', 'firstName'],
  })
  await connector.readPage({ object: 'employees', fields: 'all', since: new Date('2026-01-01T00:00:00Z') })
  expect(JSON.parse(seen.at(-1)?.body ?? '')).toEqual({
    title: 'Employees',
    filters: { lastChanged: { includeNull: 'yes', value: '2025-12-31T23:59:59Z' } },
    fields: ['id', 'lastChanged', 'firstName', 'hireDate'],
  })
})

it('deleted employees come from the list of changes, after the report', async () => {
  await using provider = await openProvider('bambooHR', bambooHR, options)
  const request = {
    object: 'employees',
    fields: 'all',
    since: new Date('2026-01-01T00:00:00Z'),
    deletions: true,
  } as const
  const found = await readAll(provider.connector, request)
  expect(found.map(({ id, deleted = false }) => [id, deleted])).toEqual([
    ['1', false],
    ['8', true],
  ])
  expect(provider.seen.at(-1)?.url.search).toBe('?since=2025-12-31T23%3A59%3A59Z&type=deleted')
})

it('requests for time off are those of all days', async () => {
  await using provider = await openProvider('bambooHR', bambooHR, options)
  const page = await provider.connector.readPage({ object: 'timeOffRequests', fields: 'all' })
  expect(page).toMatchObject({ records: [{ id: '1342' }] })
})

it('applications are read until the list is complete', async () => {
  await using provider = await openProvider('bambooHR', bambooHR, options)
  const request = { object: 'applications', fields: ['id'] }
  const first = await provider.connector.readPage(request)
  const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(['1', '2'])
  expect(second.nextPage).toBeUndefined()
  const all = 'applicationStatus=ALL&jobStatusGroups=ALL&sortBy=created_date&sortOrder=ASC'
  expect(provider.seen.map(({ url }) => url.search)).toEqual([`?page=1&${all}`, `?page=2&${all}`])
})

it('employees are created, with the id in a header, and changed; a refusal is an error', async () => {
  await using provider = await openProvider('bambooHR', bambooHR, options)
  const { connector, seen } = provider
  const record = { firstName: 'Ada', lastName: 'Lovelace' }
  expect(await connector.write({ object: 'employees', type: 'create', record })).toMatchObject({ recordId: '44259' })
  await connector.write({ object: 'employees', type: 'update', id: '44259', record })
  expect(seen.at(-1)).toMatchObject({ method: 'POST', url: { pathname: '/api/gateway.php/acme/v1/employees/44259' } })
  const refused = connector.write({ object: 'employees', type: 'create', record: {} })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request' })
})

it('more fields than a report has come from several reports', async () => {
  const names = Array.from({ length: 900 }, (_, at) => `field${at}`)
  const bamboo = ({ url: { pathname }, body }: SeenRequest): Answer => {
    if (pathname.endsWith('/meta/fields')) return { body: names.map((alias) => ({ alias, name: alias, type: 'text' })) }
    const { fields } = JSON.parse(body) as { fields: string[] }
    if (fields.length > 400) return { status: 400, body: { error: 'Too many fields' } }
    const employees = ['1', '2'].map((id) => ({
      ...Object.fromEntries(fields.map((name) => [name, `${name} of ${id}`])),
      id,
      lastChanged: '2026-01-01T00:00:00Z',
    }))
    return { body: { employees } }
  }
  await using provider = await openProvider('bambooHR', bamboo, options)
  const records = await readAll(provider.connector, { object: 'employees', fields: names })
  expect(records.map(({ id, fields }) => [id, Object.keys(fields).length, fields['field899']])).toEqual([
    ['1', 900, 'field899 of 1'],
    ['2', 900, 'field899 of 2'],
  ])
  expect(provider.seen.filter(({ method }) => method === 'POST')).toHaveLength(3)
})
