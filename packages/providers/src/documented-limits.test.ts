import { expect, it } from 'vitest'
import type { SeenRequest } from './testing/http-server.testkit.ts'
import { openProvider, readAll } from './testing/open-provider.testkit.ts'

/** Limits that providers publish, and where their lists end. */

const now = Date.parse('2026-11-26T00:00:00Z')
const inAMinute = String(now / 1000 + 60)
const apiKey = { credential: { scheme: 'apiKey', apiKey: 'k' } } as const
const basic = { credential: { scheme: 'basic', username: 'id', password: 'secret' } } as const
const account = { server: 'na3', accountId: 'a1' }

it.each([
  ['breakcold', 'tags', apiKey, { 'X-RateLimit-Reset': '60' }],
  ['braze', 'campaigns', { ...apiKey, metadata: { workspace: 'iad-01' } }, { 'X-RateLimit-Reset': inAMinute }],
  ['brevo', 'senders', apiKey, { 'x-sib-ratelimit-reset': '60' }],
  ['campaignMonitor', 'clients', {}, { 'X-RateLimit-Reset': '60' }],
  ['cloudTalk', 'contacts', basic, { 'X-CloudTalkAPI-ResetTime': inAMinute }],
  ['fathom', 'teams', apiKey, { 'RateLimit-Reset': '60' }],
  ['teamwork', 'tags', { metadata: { workspace: 'acme' } }, { 'X-Rate-Limit-Reset': inAMinute }],
] as const)('%s says in its header when a limit starts again', async (name, object, given, headers) => {
  const refused = () => ({ status: 429, headers, body: {} })
  await using provider = await openProvider(name, refused, { ...given, now: () => now })
  await expect(provider.connector.readPage({ object, fields: 'all' })).rejects.toMatchObject({
    class: 'rate_limited',
    retryAfterMs: 60_000,
  })
})

it.each([
  ['breakcold', 'tags', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', '60', [] as object],
  ['bigCommerce', 'brands', 'X-Rate-Limit-Requests-Left', 'X-Rate-Limit-Time-Reset-Ms', '60000', { data: [] }],
  ['calendly', 'groups', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', '60', { collection: [] }],
  ['devrev', 'tags', 'X-Ratelimit-Remaining', 'X-Ratelimit-Reset', inAMinute, { tags: [] }],
  ['fathom', 'teams', 'RateLimit-Remaining', 'RateLimit-Reset', '60', { items: [] }],
  ['justCall', 'calls', 'X-Rate-Limit-Remaining', 'X-Rate-Limit-Reset', inAMinute, { status: 'success', data: [] }],
  ['front', 'tags', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', inAMinute, { _results: [] }],
  ['docusign', 'users', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', inAMinute, { users: [] }],
  ['teamwork', 'tags', 'X-Rate-Limit-Remaining', 'X-Rate-Limit-Reset', inAMinute, { tags: [], meta: {} }],
] as const)('%s: nothing is sent when its limit is used up', async (name, object, left, reset, value, body) => {
  const metadata = {
    ...account,
    storeHash: 's1',
    workspace: 'acme',
    OrganizationURI: 'https://api.calendly.com/organizations/O1',
  }
  const answer = () => ({ headers: { [left]: '0', [reset]: value }, body })
  await using provider = await openProvider(name, answer, { metadata, now: () => now })
  await provider.connector.readPage({ object, fields: 'all' })
  await expect(provider.connector.readPage({ object, fields: 'all' })).rejects.toMatchObject({
    class: 'rate_limited',
    retryAfterMs: 60_000,
  })
  expect(provider.seen).toHaveLength(1)
})

it('limits of requests are those that the providers document', async () => {
  const limitOf = async (name: string) => {
    await using provider = await openProvider(name, () => ({ body: {} }))
    return provider.entry.rateLimits
  }
  expect(await limitOf('livestorm')).toMatchObject([{ requests: 5, perSeconds: 1 }])
  expect(await limitOf('smartsheet')).toMatchObject([{ requests: 300, perSeconds: 60 }])
  expect(await limitOf('acuityScheduling')).toMatchObject([{ requests: 10, perSeconds: 1 }])
  expect(await limitOf('avoma')).toMatchObject([{ requests: 60, perSeconds: 60 }])
  expect(await limitOf('notion')).toMatchObject([{ requests: 180, perSeconds: 60 }])
  expect(await limitOf('hubspot')).toMatchObject([
    { requests: 100, perSeconds: 10 },
    { requests: 5, perSeconds: 1, path: '/objects/.*/search$' },
  ])
})

it('nothing is sent to Help Scout in the minute whose requests are used up', async () => {
  const answer = () => ({ headers: { 'X-RateLimit-Remaining-Minute': '0' }, body: { _embedded: { teams: [] } } })
  await using provider = await openProvider('helpScoutMailbox', answer, { now: () => now })
  await provider.connector.readPage({ object: 'teams', fields: 'all' })
  await expect(provider.connector.readPage({ object: 'teams', fields: 'all' })).rejects.toMatchObject({
    class: 'rate_limited',
    retryAfterMs: 60_000,
  })
})

it('nothing is sent to Sellsy in the second whose quota is used up', async () => {
  let clock = now
  const answer = () => ({
    headers: { 'X-Quota-Remaining-By-Second': '0' },
    body: { data: [], pagination: { count: 0 } },
  })
  await using provider = await openProvider('sellsy', answer, { now: () => clock })
  await provider.connector.readPage({ object: 'units', fields: 'all' })
  await expect(provider.connector.readPage({ object: 'units', fields: 'all' })).rejects.toMatchObject({
    class: 'rate_limited',
    retryAfterMs: 1_000,
  })
  clock += 1_000
  await provider.connector.readPage({ object: 'units', fields: 'all' })
  expect(provider.seen).toHaveLength(2)
})

it.each(['HOURLY', 'BURST'])('the limit %s of Docusign is one, though the status is 400', async (limit) => {
  const body = { errorCode: `${limit}_APIINVOCATION_LIMIT_EXCEEDED`, message: 'Too many requests.' }
  await using provider = await openProvider('docusign', () => ({ status: 400, body }), { metadata: account })
  const read = provider.connector.readPage({ object: 'users', fields: 'all' })
  await expect(read).rejects.toMatchObject({ class: 'rate_limited' })
})

it.each([
  ['facebookPages', 'posts', 80001],
  ['facebookPages', 'leads', 80005],
  ['instagram', 'media', 80002],
])('too many requests for one account of %s (%s) are a limit, though the status is 400', async (name, object, code) => {
  const body = { error: { code, message: 'There have been too many calls to this account.' } }
  await using provider = await openProvider(name, () => ({ status: 400, body }))
  const read = provider.connector.fetchRecord(object, '1', ['id'])
  await expect(read).rejects.toMatchObject({ class: 'rate_limited' })
})

it('a list of Aircall that has 10,000 calls is not taken for all of them', async () => {
  const answer = ({ url }: SeenRequest) => {
    const page = Number(url.searchParams.get('page') ?? 1)
    const next = page < 200 ? `https://api.aircall.io/v1/calls?page=${page + 1}` : null
    const calls = Array.from({ length: 50 }, (_, at) => ({ id: page * 100 + at }))
    return { body: { calls, meta: { total: 20_000, next_page_link: next } } }
  }
  await using provider = await openProvider('aircall', answer, apiKey)
  // A longer time is read again by halves.
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-01T00:15:00Z') }
  const all = readAll(provider.connector, { object: 'calls', fields: [], ...window })
  await expect(all).rejects.toMatchObject({ class: 'list_truncated' })
  expect(provider.seen).toHaveLength(200)
})

it('a list of Talkdesk that has 10,000 contacts is not taken for all of them', async () => {
  const answer = ({ url }: SeenRequest) => {
    const page = Number(url.searchParams.get('page') ?? 1)
    const next = { href: `https://api.talkdeskapp.com/contacts?page=${page + 1}&per_page=50` }
    const contacts = Array.from({ length: 50 }, (_, at) => ({ id: `${page}-${at}` }))
    return { body: { total: 20_000, _embedded: { contacts }, _links: page < 200 ? { next } : {} } }
  }
  const metadata = { workspace: 'acme', talkdesk_api_domain: 'api.talkdeskapp.com' }
  await using provider = await openProvider('talkdesk', answer, { metadata })
  await expect(readAll(provider.connector, { object: 'contacts', fields: [] })).rejects.toMatchObject({
    class: 'list_truncated',
  })
  expect(provider.seen).toHaveLength(200)
})

it('a page of notes of Avoma has at most 20', async () => {
  await using provider = await openProvider('avoma', () => ({ body: { results: [], next: null } }), apiKey)
  await provider.connector.readPage({ object: 'notes', fields: 'all' })
  expect(provider.seen[0]?.url.searchParams.get('page_size')).toBe('20')
})

it('a list of Clari Copilot that has skipped 10,000 scorecards is not taken for all of them', async () => {
  const answer = ({ url }: SeenRequest) => {
    const skip = Number(url.searchParams.get('skip') ?? 0)
    const scorecards = Array.from({ length: 100 }, (_, at) => ({ id: String(skip + at) }))
    return { body: { scorecards, pagination: { nextPageSkip: skip + 100, hasMore: true } } }
  }
  const credential = { scheme: 'custom', values: { apiKey: 'k', apiSecret: 's' } } as const
  await using provider = await openProvider('clariCopilot', answer, { credential })
  const all = readAll(provider.connector, { object: 'scorecard', fields: [] })
  await expect(all).rejects.toMatchObject({ class: 'list_truncated' })
  expect(provider.seen).toHaveLength(101)
})

it('Dropbox Sign, Business Central, BigQuery: the file says how much may be sent', async () => {
  const none = () => ({ body: {} })
  const table = { projectId: 'p', dataset: 'd', timestampColumn: 'at' }
  await using query = await openProvider('bigquery', none, { metadata: table })
  expect(query.entry.rateLimits).toMatchObject([{ requests: 100, perSeconds: 1, per: 'connection' }])
  await using sign = await openProvider('dropboxSign', none)
  expect(sign.entry.rateLimits?.[1]).toMatchObject({ requests: 25, perSeconds: 60, path: '/signature_request/send$' })
  const metadata = { workspace: 'w', environmentName: 'e', companyId: 'c' }
  await using central = await openProvider('dynamicsBusinessCentral', none, { metadata })
  expect(central.entry.rateLimits).toMatchObject([{ requests: 6000, perSeconds: 300 }])
})

it('Campaign Monitor and Coda: the file says how scopes are separated, and how much may be sent', async () => {
  const none = () => ({ body: {} })
  await using monitor = await openProvider('campaignMonitor', none)
  expect(monitor.entry.authentication[0]).toMatchObject({ scopeSeparator: ',' })
  await using coda = await openProvider('coda', none)
  expect(coda.entry.rateLimits).toMatchObject([
    { requests: 100, perSeconds: 6, for: 'read' },
    { requests: 10, perSeconds: 6, for: 'write' },
    { requests: 5, perSeconds: 10, for: 'write', path: '/docs/[^/]+/' },
    { requests: 4, perSeconds: 6, for: 'read', path: '/docs$' },
  ])
})
