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
