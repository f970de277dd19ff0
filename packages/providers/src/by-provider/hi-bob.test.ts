import { expect, it } from 'vitest'
import { proxyBase } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What apidocs.hibob.com shows as answers, as far as the provider file relies on it. */

const credential = { scheme: 'basic', username: 'SERVICE-1', password: 'token' } as const

function bob({ method, url }: SeenRequest): Answer {
  if (url.pathname === '/v1/people/search')
    return { body: { employees: [{ id: '7', displayName: 'Ada', work: { title: 'Engineer' } }] } }
  if (url.pathname === '/v1/timeoff/requests/changes')
    return { body: { changes: [{ requestId: 5, employeeId: '7', changeType: 'Created' }] } }
  return method === 'PUT' ? { status: 200 } : { status: 404, body: { error: 'Not found' } }
}

it('employees are read in one request, with those who left', async () => {
  await using provider = await openProvider('hiBob', bob, { credential })
  const fields = ['displayName', "$['work']['title']"]
  const records = await readAll(provider.connector, { object: 'employees', fields })
  expect(records).toMatchObject([{ id: '7', fields: { displayname: 'Ada', "$['work']['title']": 'Engineer' } }])
  expect(asked(provider.seen)).toEqual(['POST /v1/people/search {"showInactive":true}'])
  const basic = Buffer.from('SERVICE-1:token').toString('base64')
  expect(provider.seen[0]?.headers['authorization']).toBe(`Basic ${basic}`)
})

it('changes of time off requests begin half a year ago in a full read, and where a window begins', async () => {
  const now = () => Date.parse('2026-07-01T00:00:00Z')
  await using provider = await openProvider('hiBob', bob, { credential, now })
  const request = { object: 'timeOffRequests', fields: ['changeType'] }
  expect(await readAll(provider.connector, request)).toMatchObject([{ id: '5' }])
  await readAll(provider.connector, { ...request, since: new Date('2026-06-30T00:00:00Z') })
  expect(asked(provider.seen)).toEqual([
    'GET /v1/timeoff/requests/changes?since=2026-01-02T00:00:00Z',
    'GET /v1/timeoff/requests/changes?since=2026-06-30T00:00:00Z',
  ])
})

it('a time off request that was deleted is a deletion where deletions are requested', async () => {
  const changes = [
    { requestId: 5, changeType: 'Canceled' },
    { requestId: 6, changeType: 'Deleted' },
  ]
  await using provider = await openProvider('hiBob', () => ({ body: { changes } }), { credential })
  const since = new Date('2026-06-30T00:00:00Z')
  const request = { object: 'timeOffRequests', fields: ['changeType'], since, deletions: true }
  const records = await readAll(provider.connector, request)
  expect(records.map(({ id, deleted }) => [id, deleted])).toEqual([
    ['5', undefined],
    ['6', true],
  ])
})

it('a change of an employee is a PUT without an answer', async () => {
  await using provider = await openProvider('hiBob', bob, { credential })
  const record = { work: { title: 'Lead' } }
  expect(await provider.connector.write({ object: 'employees', type: 'update', id: '7', record })).toMatchObject({
    recordId: '7',
  })
  expect(asked(provider.seen)).toEqual(['PUT /v1/people/7 {"work":{"title":"Lead"}}'])
})

it('sandboxes have another host; others need not name one', async () => {
  await using provider = await openProvider('hiBob', bob, { credential })
  const hostFor = (metadata: Record<string, string>) => proxyBase(provider.entry, { metadata }).host
  expect([hostFor({}), hostFor({ apiHost: 'api.sandbox.hibob.com' })]).toEqual([
    'api.hibob.com',
    'api.sandbox.hibob.com',
  ])
})

it('open tasks are read in one request', async () => {
  const answer = () => ({ body: { tasks: [{ id: 812, title: 'Sign the contract', status: 'open' }] } })
  await using provider = await openProvider('hiBob', answer, { credential })
  const found = await readAll(provider.connector, { object: 'tasks', fields: ['title'] })
  expect(found).toMatchObject([{ id: '812', fields: { title: 'Sign the contract' } }])
  expect(asked(provider.seen)).toEqual(['GET /v1/tasks'])
})

/** The entries of employees as the bulk lists return them: an id is unique within its employee. */
function histories({ url }: SeenRequest): Answer {
  if (Number(url.searchParams.get('limit')) > 200) return { status: 400, body: { error: 'limit' } }
  const entry = (id: number) => ({ id, effectiveDate: `2026-0${id}-01`, change: { reason: null } })
  return url.searchParams.get('cursor') === 'c2'
    ? { body: { results: [{ employeeId: '8', values: [entry(1)] }], response_metadata: { next_cursor: null } } }
    : {
        body: {
          results: [
            { employeeId: '7', values: [entry(1), entry(2)] },
            { employeeId: '9', values: [] },
          ],
          response_metadata: { next_cursor: 'c2' },
        },
      }
}

it.each(['employment', 'lifecycle', 'salaries', 'work'])('entries of %s are those of all employees', async (object) => {
  await using provider = await openProvider('hiBob', histories, { credential })
  const records = await readAll(provider.connector, { object, fields: ['employeeId', 'effectiveDate'] })
  expect(records.map(({ id, fields }) => [id, fields])).toEqual([
    ['7/1', { employeeid: '7', effectivedate: '2026-01-01' }],
    ['7/2', { employeeid: '7', effectivedate: '2026-02-01' }],
    ['8/1', { employeeid: '8', effectivedate: '2026-01-01' }],
  ])
  expect(asked(provider.seen)).toEqual([
    `GET /v1/bulk/people/${object}?limit=200`,
    `GET /v1/bulk/people/${object}?limit=200&cursor=c2`,
  ])
  const { fields } = await provider.connector.describeObject(object)
  expect(Object.keys(fields).toSorted()).toEqual(['change', 'effectiveDate', 'employeeId', 'id'])
  expect(fields['employeeId']).toMatchObject({ valueType: 'string', referenceTo: ['employees'] })
})
