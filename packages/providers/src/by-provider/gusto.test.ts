import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What @gusto/embedded-api-v-2026-02-01 says about lists, as far as the provider file relies on it. */

const lists: Record<string, unknown[] | object> = {
  '/v1/companies/c1/employees': [{ uuid: 'e1' }, { uuid: 'e2' }],
  '/v1/employees/e1/jobs': [{ uuid: 'j1' }],
  '/v1/employees/e2/jobs': [{ uuid: 'j2' }],
  '/v1/jobs/j1/compensations': [{ uuid: 'p1' }, { uuid: 'p2' }],
  '/v1/jobs/j2/compensations': [{ uuid: 'p3' }],
  '/v1/employees/e1/employee_benefits': [{ uuid: 'b1' }, { uuid: 'b2' }],
  '/v1/employees/e2/employee_benefits': [],
  '/v1/companies/c1/earning_types': { default: [{ uuid: 't1' }], custom: [{ uuid: 't2' }] },
  '/v1/companies/c1/time_off/requests': [{ uuid: 'r1' }],
}

function gusto({ url }: SeenRequest): Answer {
  const body = lists[url.pathname]
  if (body === undefined) return { status: 404 }
  const whole = { compensations: 'all_compensations', employee_benefits: 'all_benefits' }[
    url.pathname.split('/')[4] ?? ''
  ]
  const isCurrentOnly = whole !== undefined && url.searchParams.get('include') !== whole
  return { headers: { 'X-Total-Pages': '1' }, body: isCurrentOnly && Array.isArray(body) ? body.slice(0, 1) : body }
}

const idsOf = async (object: string) => {
  await using provider = await openProvider('gusto', gusto, { metadata: { companyId: 'c1' } })
  const records = await readAll(provider.connector, { object, fields: 'all' })
  return records.map(({ id }) => id)
}

it('compensations are those of all jobs of all employees, with former ones', async () => {
  expect(await idsOf('compensations')).toEqual(['p1', 'p2', 'p3'])
})

it('benefits of employees are the former ones, too', async () => {
  expect(await idsOf('employee_benefits')).toEqual(['b1', 'b2'])
})

it('earning types have two lists, and requests for time off are those of all days', async () => {
  expect(await idsOf('default_earning_types')).toEqual(['t1'])
  expect(await idsOf('earning_types')).toEqual(['t2'])
  expect(await idsOf('time_off_requests')).toEqual(['r1'])
})

const payPeriods = [
  ['processed', 'regular', '2021-12-20', '2022-01-02'],
  ['processed', 'off_cycle', '2024-05-01', '2024-07-20'],
  ['unprocessed', 'regular', '2025-12-29', '2026-01-11'],
  ['processed', 'external', '2025-01-01', '2025-03-31'],
] as const

/** Pay periods have to lie between the dates, which may be a year apart, and three months ahead of today. */
function payrolls({ url }: SeenRequest): Answer {
  const { start_date: start = '', end_date: end = '', ...query } = Object.fromEntries(url.searchParams)
  const [first, last] = [Date.parse(start), Date.parse(end)]
  if (!(last - first <= 365 * 86_400_000)) return { status: 422, body: { errors: [{ message: 'Dates over 1 year.' }] } }
  if (!(last <= Date.parse('2026-02-28'))) return { status: 422, body: { errors: [{ message: 'Too far ahead.' }] } }
  const found = payPeriods.flatMap(([status, type, from, to], at) =>
    query['processing_statuses']?.split(',').includes(status) === true &&
    query['payroll_types']?.split(',').includes(type) === true &&
    from > start &&
    to < end
      ? [{ uuid: `p${at}` }]
      : [],
  )
  return { headers: { 'X-Total-Pages': '1' }, body: found }
}

it('payrolls of all years, statuses and types are read, though a list covers one year', async () => {
  const now = () => Date.parse('2025-11-30T12:00:00Z')
  await using provider = await openProvider('gusto', payrolls, { metadata: { companyId: 'c1' }, now })
  const found = await readAll(provider.connector, { object: 'payrolls', fields: 'all' })
  expect([...new Set(found.map(({ id }) => id))].toSorted()).toEqual(['p0', 'p1', 'p2', 'p3'])
  // A read of changes finds them, too: payrolls of any year may change.
  const changed = await readAll(provider.connector, { object: 'payrolls', fields: 'all', since: new Date(now()) })
  expect(changed).toHaveLength(found.length)
})
