import { expect, it } from 'vitest'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

it('lists are read to the last page, with the subscription key', async () => {
  const metadata = { bbApiSubscriptionKey: 'key' }
  const answer = ({ url }: { url: URL }) => {
    const count = url.searchParams.get('start_row_index') === '0' ? 100 : 1
    const value = Array.from({ length: count }, (_, index) => ({ id: `${count}-${index}` }))
    return { body: { count, value, total_available_rows: 101 } }
  }
  await using provider = await openProvider('blackbaud', answer, { metadata })
  const object = 'crm-mktmg/appeals'
  const first = await provider.connector.readPage({ object, fields: [] })
  const last = await provider.connector.readPage({ object, fields: [], page: first.nextPage ?? '' })
  expect(first).toMatchObject({ total: 101, records: { length: 100 } })
  expect(last).toMatchObject({ records: [{ id: '1-0' }], nextPage: undefined })
  expect(asked(provider.seen)).toEqual([
    'GET /crm-mktmg/appeals/list?limit=100&start_row_index=0',
    'GET /crm-mktmg/appeals/list?limit=100&start_row_index=100',
  ])
  expect(provider.seen[0]?.headers['bb-api-subscription-key']).toBe('key')
})

it('a used up quota is a limit, though the status is 403', async () => {
  const body = { statusCode: 403, message: 'Out of call volume quota. Quota will be replenished in 07:01:20.' }
  const answer = () => ({ status: 403, body })
  await using provider = await openProvider('blackbaud', answer, { metadata: { bbApiSubscriptionKey: 'key' } })
  const read = provider.connector.readPage({ object: 'crm-mktmg/appeals', fields: [] })
  await expect(read).rejects.toMatchObject({ class: 'rate_limited' })
})

const written = async (object: string, type: 'update' | 'delete', record: Record<string, unknown> = {}) => {
  await using provider = await openProvider('blackbaud', () => ({ status: 200, body: {} }), {
    metadata: { bbApiSubscriptionKey: 'key' },
  })
  await provider.connector.write({ object, type, id: 'a1', record })
  return asked(provider.seen)
}

it.each([
  ['crm-conmg/individuals', '/crm-conmg/individuals/a1'],
  ['crm-conmg/organizations', '/crm-conmg/organizations/a1'],
  ['crm-conmg/interaction', '/crm-conmg/interactions/a1'],
  ['crm-prsmg/prospectcontactreports', '/crm-prsmg/prospectcontactreports/a1'],
  ['crm-prsmg/prospects', '/crm-prsmg/prospects/a1'],
])('%s are changed at their own path', async (object, path) => {
  expect(await written(object, 'update', { name: 'B' })).toEqual([`PATCH ${path} {"name":"B"}`])
})

it.each([
  ['crm-conmg/constituents', '/crm-conmg/constituents/a1'],
  ['crm-conmg/interaction', '/crm-conmg/interactions/a1'],
  ['crm-prsmg/prospectopportunities', '/crm-prsmg/prospects/a1/prospectopportunities'],
])('%s are deleted at their own path', async (object, path) => {
  expect(await written(object, 'delete')).toEqual([`DELETE ${path}`])
})

it('a change of a step names its plan in the query', async () => {
  expect(await written('crm-prsmg/prospectsteps', 'update', { prospect_plan_id: 'p1', objective: 'B' })).toEqual([
    'PATCH /crm-prsmg/prospectsteps/a1?v_prospect_plan_id=p1 {"objective":"B"}',
  ])
})
