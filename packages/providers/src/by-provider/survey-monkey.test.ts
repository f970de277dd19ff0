import { expect, it } from 'vitest'
import { proxyBase } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { openProvider, readAll } from '../testing/open-provider.testkit.ts'
import { entryFor } from '../webhook-cases/webhook-case.testkit.ts'

/** Responses that api.surveymonkey.com/v3/docs shows, as far as the provider file relies on them. */

const api = 'https://api.surveymonkey.com/v3'
const response = (id: string, date_modified: string) => ({ id, date_modified })

function surveyMonkey({ url: { pathname, searchParams } }: SeenRequest): Answer {
  const list = (data: unknown[], next?: string) => ({ body: { data, links: { self: api, ...(next && { next }) } } })
  switch (pathname) {
    case '/v3/surveys':
      return list([{ id: 's1' }, { id: 's2' }])
    case '/v3/surveys/s1/responses/bulk':
      return searchParams.get('page') === '2'
        ? list([response('r0', '2020-01-01T00:00:00+00:00')])
        : list(
            [response('r2', '2026-01-02T00:00:00+00:00'), response('r1', '2025-01-01T00:00:00+00:00')],
            `${api}/surveys/s1/responses/bulk?page=2&per_page=100`,
          )
    case '/v3/surveys/s2/responses/bulk':
      return list([response('r3', '2026-01-03T00:00:00+00:00')])
    default:
      return { status: 404, body: { error: { id: '1020', name: 'Resource Not Found', message: 'There is none.' } } }
  }
}

it('responses of all surveys are read to the first that is older than the window', async () => {
  await using opened = await openProvider('surveyMonkey', surveyMonkey)
  const { connector, seen } = opened
  const request = { object: 'responses', fields: ['id', 'survey_id'] }
  const changed = await connector.readPage({ ...request, since: new Date('2026-01-01T00:00:00Z') })
  expect(changed.records.map(({ id, fields }) => [id, fields['survey_id']])).toEqual([
    ['r2', 's1'],
    ['r3', 's2'],
  ])
  expect(seen.some(({ url }) => url.searchParams.get('page') === '2')).toBe(false)
  const all = await connector.readPage(request)
  expect(all.records.map(({ id }) => id)).toEqual(['r2', 'r1', 'r0', 'r3'])
})

it('contacts are listed by status, each with its own', async () => {
  await using opened = await openProvider(
    'surveyMonkey',
    // The link to the next page lacks the status.
    ({ url }): Answer => ({
      body: {
        data: [{ id: `${url.searchParams.get('status')}-${url.searchParams.get('page') ?? '1'}` }],
        links: { self: api, ...(!url.searchParams.has('page') && { next: `${api}/v3/contacts?page=2&per_page=100` }) },
      },
    }),
  )
  const records = await readAll(opened.connector, { object: 'contacts', fields: ['status'] })
  expect(records.map(({ id, fields }) => [id, fields['status']])).toEqual([
    ['active-1', 'active'],
    ['active-2', 'active'],
    ['optout-1', 'optout'],
    ['optout-2', 'optout'],
    ['bounced-1', 'bounced'],
    ['bounced-2', 'bounced'],
  ])
})

it.each([
  ['has', ['q1-1', 'q1-2', 'true-1', 'true-2']],
  ['may not have', ['q1-1', 'q1-2']],
])('the question bank of an account that %s its own questions is read', async (has, ids) => {
  await using opened = await openProvider('surveyMonkey', ({ url }): Answer => {
    const custom = url.searchParams.get('custom')
    if (custom === 'true' && has !== 'has') return { status: 403, body: { error: { id: '1014', message: 'No.' } } }
    const isFirst = (url.searchParams.get('page') ?? '1') === '1'
    const data = [{ question_id: `${custom ?? 'q1'}-${isFirst ? '1' : '2'}` }]
    return { body: { data, links: { self: api, ...(isFirst && { next: `${api}/question_bank/questions?page=2` }) } } }
  })
  const request = { object: 'question_bank_questions', fields: ['text'] }
  expect((await readAll(opened.connector, request)).map(({ id }) => id)).toEqual(ids)
  // Of a list of ids that is not whole, the others would be taken as deleted.
  const checked = readAll(opened.connector, { ...request, idsOnly: true })
  await (has === 'has' ? expect(checked).resolves.toHaveLength(4) : expect(checked).rejects.toThrow())
})

it('the message of an error is the provider’s', async () => {
  await using opened = await openProvider('surveyMonkey', surveyMonkey)
  await expect(opened.connector.readPage({ object: 'groups', fields: ['id'] })).rejects.toMatchObject({
    class: 'not_found',
    providerMessage: 'There is none.',
  })
})

it('nothing is sent when the limit of the day is used up', async () => {
  const headers = { 'X-Ratelimit-App-Global-Day-Remaining': '0', 'X-Ratelimit-App-Global-Day-Reset': '3600' }
  await using opened = await openProvider('surveyMonkey', () => ({ headers, body: { data: [], links: {} } }), {
    now: () => Date.parse('2026-11-27T00:00:00Z'),
  })
  await opened.connector.readPage({ object: 'groups', fields: ['id'] })
  await expect(opened.connector.readPage({ object: 'groups', fields: ['id'] })).rejects.toMatchObject({
    class: 'rate_limited',
    retryAfterMs: 3_600_000,
  })
  expect(opened.seen).toHaveLength(1)
})

it('an account in the EU is read at its own host, and others where they were', async () => {
  const hosts = async (metadata: Record<string, string>) => {
    const connection = { metadata, credential: { scheme: 'oauth2', accessToken: 't1' } as const }
    return proxyBase(await entryFor('surveyMonkey'), connection).origin
  }
  expect(await hosts({})).toBe('https://api.surveymonkey.com')
  expect(await hosts({ apiHost: 'api.eu.surveymonkey.com' })).toBe('https://api.eu.surveymonkey.com')
})

it('a role has no request of its own', async () => {
  await using opened = await openProvider('surveyMonkey', surveyMonkey)
  await expect(opened.connector.fetchRecord('roles', '1', ['name'])).rejects.toThrow()
  expect(opened.seen).toEqual([])
})
