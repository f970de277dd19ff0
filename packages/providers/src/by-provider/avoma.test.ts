import { expect, it } from 'vitest'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'
import { entryFor, openRegistration, ours, requestsOf } from '../webhook-cases/webhook-case.testkit.ts'

it('meetings of all dates are read to the last page, and those without a change in the window are dropped', async () => {
  const query = 'page_size=100&from_date=2000-01-01T00%3A00%3A00Z&to_date=2100-01-01T00%3A00%3A00Z'
  await using provider = await openProvider('avoma', ({ url }) => {
    const isLast = url.searchParams.get('page') === '2'
    const next = isLast ? null : `https://api.avoma.com/v1/meetings/?${query}&page=2`
    const results = [{ uuid: isLast ? 'b' : 'a', modified: isLast ? '2026-01-02T00:00:00Z' : '2025-12-01T00:00:00Z' }]
    return { body: { count: 2, next, previous: null, results } }
  })
  const request = { object: 'meetings', fields: [], since: new Date('2026-01-01T00:00:00Z') }
  const first = await provider.connector.readPage(request)
  expect(first.records).toEqual([])
  const last = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(last).toMatchObject({ records: [{ id: 'b' }], nextPage: undefined })
  const range = 'page_size=100&from_date=2000-01-01T00:00:00Z&to_date=2100-01-01T00:00:00Z'
  expect(asked(provider.seen)).toEqual([`GET /v1/meetings/?${range}`, `GET /v1/meetings/?${range}&page=2`])
})

it.each(['meeting_type', 'meeting_outcome'])(
  '%s: one list has all of them, and each can be written',
  async (object) => {
    await using provider = await openProvider('avoma', ({ method }) =>
      method === 'GET' ? { body: [{ uuid: 'a', label: 'Demo' }] } : { body: { uuid: 'a', label: 'Demo' } },
    )
    const { connector } = provider
    expect(await connector.readPage({ object, fields: ['label'] })).toMatchObject({
      records: [{ id: 'a', fields: { label: 'Demo' } }],
      nextPage: undefined,
    })
    const record = { label: 'Demo' }
    expect(await connector.write({ object, type: 'create', record })).toMatchObject({ recordId: 'a' })
    await connector.write({ object, type: 'update', id: 'a', record })
    await connector.write({ object, type: 'delete', id: 'a', record: {} })
    expect(asked(provider.seen).map((line) => line.split(' {')[0])).toEqual([
      `GET /v1/${object}/`,
      `POST /v1/${object}/`,
      `PATCH /v1/${object}/a/`,
      `DELETE /v1/${object}/a/`,
    ])
  },
)

it.each([
  ['an empty', { signing_secret: '' }],
  ['null as its', { signing_secret: null }],
  ['no', {}],
])(
  'an organization with %s signing secret gets no webhook, because its events would not be signed',
  async (_, body) => {
    const answers = {
      'POST /v1/webhooks/': { status: 201, body: { uuid: 'w1' } },
      'GET /v1/webhooks/signing-secret/': { body },
      'DELETE /v1/webhooks/w1/': { status: 204 },
    }
    await using provider = await openRegistration(await entryFor('avoma'), {}, answers)
    const wanted = { ...ours, key: 'AINOTE', object: 'meetings', event: 'AINOTE', events: ['AINOTE'] }
    await expect(provider.subscriber.register(wanted)).rejects.toMatchObject({ class: 'bad_request' })
    expect(requestsOf(provider.seen).at(-1)).toBe('DELETE /v1/webhooks/w1/')
  },
)

it('a scorecard is read by its id', async () => {
  await using provider = await openProvider('avoma', () => ({ body: { uuid: 'a', name: 'Discovery' } }))
  const { connector, seen } = provider
  const found = await connector.fetchRecords('scorecards', ['a'], ['name'])
  expect([...found]).toMatchObject([['a', { raw: { name: 'Discovery' } }]])
  expect(asked(seen)).toEqual(['GET /v1/scorecards/a/'])
})
