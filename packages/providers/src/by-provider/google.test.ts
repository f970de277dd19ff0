import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createConnector, loadCatalogue, type ProviderHttp } from '../index.ts'
import { appliedLimits } from '../testing/applied-limits.testkit.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { asked, readAll } from '../testing/open-provider.testkit.ts'
import { entryOf } from '../testing/provider.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'

/** Responses that developers.google.com shows for Gmail, Calendar and People, as far as the file relies on them. */

const refused = (status: number, message: string, reason = 'notFound'): Answer => ({
  status,
  body: { error: { code: status, message, errors: [{ message, domain: 'global', reason }] } },
})

function google({ method, url: { pathname, searchParams } }: SeenRequest): Answer {
  switch (`${method} ${pathname}`) {
    case 'GET /gmail/v1/users/me/messages': {
      const [first, last] = [['m1', 'gone', 'm2'], ['m3']].map((ids) => ids.map((id) => ({ id, threadId: 't1' })))
      return searchParams.has('pageToken')
        ? { body: { messages: last, resultSizeEstimate: 4 } }
        : { body: { messages: first, nextPageToken: 'next', resultSizeEstimate: 4 } }
    }
    case 'GET /gmail/v1/users/me/messages/m1':
    case 'GET /gmail/v1/users/me/messages/m2':
    case 'GET /gmail/v1/users/me/messages/m3':
      return { body: { id: pathname.slice(-2), threadId: 't1', snippet: `text of ${pathname.slice(-2)}` } }
    case 'GET /gmail/v1/users/me/messages/broken':
      return refused(500, 'Backend Error', 'backendError')
    case 'GET /gmail/v1/users/me/drafts':
      return refused(403, 'User-rate limit exceeded.', 'userRateLimitExceeded')
    case 'GET /gmail/v1/users/me/labels':
      return { body: { labels: [{ id: 'INBOX', name: 'INBOX', type: 'system' }] } }
    case 'GET /gmail/v1/users/me/labels/INBOX':
      return { body: { id: 'INBOX', name: 'INBOX', type: 'system', messagesTotal: 7 } }
    case 'GET /gmail/v1/users/me/settings/filters':
      return refused(403, 'Insufficient Permission', 'insufficientPermissions')
    case 'GET /calendar/v3/users/me/settings':
      return refused(403, 'Calendar usage limits exceeded.', 'quotaExceeded')
    case 'GET /calendar/v3/users/me/calendarList':
      return { body: { items: [{ id: 'ada@example.com' }, { id: 'team@example.com' }] } }
    case 'GET /calendar/v3/calendars/primary/events':
      return {
        body: {
          items: [
            { id: 'moved', updated: '2026-03-01T01:00:00.000Z', status: 'confirmed' },
            { id: 'deleted', status: 'cancelled' },
            { id: 'series_20260302', status: 'cancelled', recurringEventId: 'series' },
          ],
        },
      }
    case 'GET /calendar/v3/calendars/ada%40example.com/events':
    case 'GET /calendar/v3/calendars/team%40example.com/events':
      return { body: { items: [{ id: 'e1', updated: '2026-01-01T00:00:00.000Z' }] } }
    case 'GET /v1/people/c7': {
      const contact = { type: 'CONTACT', id: 'c7', etag: '#e1' }
      return { body: { resourceName: 'people/c7', metadata: { sources: [contact] } } }
    }
    case 'PATCH /v1/people/c7:updateContact':
      return { body: { resourceName: 'people/c7', etag: 'y' } }
    case 'POST /v1/people:createContact':
      return { body: { resourceName: 'people/c7', etag: 'x' } }
    case 'DELETE /v1/people/c7:deleteContact':
      return { body: {} }
    case 'POST /calendar/v3/calendars/team%40example.com/events':
      return { body: { id: 'e2' } }
    default:
      return method === 'PATCH' || method === 'POST' ? { body: { id: 'x' } } : refused(404, 'Not Found')
  }
}

const entry = entryOf(await readFile(new URL('../../providers/google.yaml', import.meta.url), 'utf8'))

/** Each module has its own host. */
async function open(module: string) {
  const server = await startServer(google)
  const http: ProviderHttp = (request) =>
    plainHttp(fetch)({ ...request, url: request.url.replace(/^https:\/\/[^/]+/, server.origin) })
  const connection = { module, metadata: {}, credential: { scheme: 'oauth2', accessToken: 't1' } as const }
  return {
    connector: createConnector(entry, connection, http),
    seen: server.seen,
    [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
  }
}

it('messages are read whole: those of a window are listed, and each is requested unless it was deleted meanwhile', async () => {
  await using opened = await open('gmail')
  const { connector, seen } = opened
  const since = new Date('2026-01-01T00:00:00Z')
  const records = await readAll(connector, { object: 'messages', fields: ['id', 'snippet'], since })
  expect(records.map(({ id, fields }) => [id, fields['snippet']])).toEqual([
    ['m1', 'text of m1'],
    ['m2', 'text of m2'],
    ['m3', 'text of m3'],
  ])
  expect(asked(seen).toSorted()).toEqual([
    'GET /gmail/v1/users/me/messages/gone?format=full',
    'GET /gmail/v1/users/me/messages/m1?format=full',
    'GET /gmail/v1/users/me/messages/m2?format=full',
    'GET /gmail/v1/users/me/messages/m3?format=full',
    'GET /gmail/v1/users/me/messages?maxResults=100&includeSpamTrash=true&q=after:1767225599',
    'GET /gmail/v1/users/me/messages?pageToken=next&maxResults=100&includeSpamTrash=true&q=after:1767225599',
  ])
})

it('a message that does not exist is left out, and a failure is an error', async () => {
  await using opened = await open('gmail')
  const { connector } = opened
  const found = await connector.fetchRecords('messages', ['m1', 'gone'], ['snippet'])
  expect([...found]).toMatchObject([['m1', { fields: { snippet: 'text of m1' } }]])
  await expect(connector.fetchRecords('messages', ['m1', 'broken'], ['id'])).rejects.toMatchObject({
    class: 'provider_5xx',
  })
})

it('a refused rate is not a refused permission', async () => {
  await using opened = await open('gmail')
  const { connector } = opened
  await expect(connector.readPage({ object: 'drafts', fields: ['id'] })).rejects.toMatchObject({
    class: 'rate_limited',
  })
  await expect(connector.readPage({ object: 'filters', fields: ['id'] })).rejects.toMatchObject({ class: 'forbidden' })
})

it('the limits of Calendar are limits, too', async () => {
  await using opened = await open('calendar')
  const read = opened.connector.readPage({ object: 'settings', fields: ['id'] })
  await expect(read).rejects.toMatchObject({ class: 'rate_limited' })
})

it('every provider that authorizes at Google requests a refresh token', async () => {
  const catalogue = await loadCatalogue({ cacheDir: testCache })
  const schemes = catalogue
    .list()
    .flatMap(({ name, authentication }) => authentication.map((scheme) => ({ name, scheme })))
  const atGoogle = schemes.filter(
    ({ scheme }) => 'authUrl' in scheme && scheme.authUrl?.includes('accounts.google.com'),
  )
  expect(atGoogle.length).toBeGreaterThan(40)
  const without = atGoogle.filter(
    ({ scheme }) => !('authUrlParams' in scheme) || scheme.authUrlParams?.['access_type'] !== 'offline',
  )
  expect(without.map(({ name }) => name)).toEqual([])
})

it('events of all calendars are told apart by their calendar', async () => {
  await using opened = await open('calendar')
  const { connector } = opened
  const page = await connector.readPage({ object: 'calendarEvents', fields: ['id'] })
  expect(page.records.map(({ id }) => id)).toEqual(['ada%40example.com/e1', 'team%40example.com/e1'])
  const record = { calendarId: 'team@example.com', summary: 'Lunch' }
  const written = await connector.write({ object: 'calendarEvents', type: 'create', record })
  expect(written.recordId).toBe('team%40example.com/e2')
})

it('a recent window of events is requested, an earlier one is filtered', async () => {
  await using opened = await open('calendar')
  const { connector, seen } = opened
  const since = new Date(Date.now() - 86_400_000)
  await connector.readPage({ object: 'calendarEvents', fields: ['id'], since })
  expect(seen[1]?.url.searchParams.get('updatedMin')).toBe(since.toISOString())
  const old = await connector.readPage({ object: 'calendarEvents', fields: ['id'], since: new Date('2025-01-01') })
  expect(old.records).toHaveLength(2)
  expect(seen.at(-1)?.url.searchParams.has('updatedMin')).toBe(false)
})

it('cancelled events are deleted ones, except the instances of an event that recurs', async () => {
  await using opened = await open('calendar')
  const since = new Date('2026-03-01T00:00:00Z')
  const request = { object: 'events', fields: ['id'], since, deletions: true }
  const found = await readAll(opened.connector, request)
  expect(found.map(({ id, deleted }) => `${deleted ? '-' : ''}${id}`)).toEqual(['moved', '-deleted', 'series_20260302'])
})

it('labels are read with their numbers of messages, which the list does not have', async () => {
  await using opened = await open('gmail')
  const page = await opened.connector.readPage({ object: 'labels', fields: ['name', 'messagesTotal'] })
  expect(page.records).toMatchObject([{ id: 'INBOX', fields: { name: 'INBOX', messagestotal: 7 } }])
})

it('an update of a contact names its fields, and the version that it changes', async () => {
  await using opened = await open('contacts')
  const { connector, seen } = opened
  const record = { names: [{ givenName: 'Ada' }], urls: [] }
  await connector.write({ object: 'myConnections', type: 'update', id: 'people/c7', record })
  expect(seen[0]?.url.search).toBe('?personFields=metadata&sources=READ_SOURCE_TYPE_CONTACT')
  expect(seen[1]?.url.searchParams.get('updatePersonFields')).toBe('names,urls')
  expect(JSON.parse(seen[1]?.body ?? '')).toEqual({
    ...record,
    metadata: { sources: [{ type: 'CONTACT', id: 'c7', etag: '#e1' }] },
  })
})

it('colors of a calendar are sent as RGB only if there are any', async () => {
  await using opened = await open('calendar')
  const { connector, seen } = opened
  const update = { object: 'calendarList', type: 'update', id: 'x' } as const
  await connector.write({ ...update, record: { summaryOverride: 'Ours' } })
  await connector.write({ ...update, record: { summaryOverride: 'Ours', foregroundColor: '#ffffff' } })
  expect(seen.map(({ url, body }) => [url.search, JSON.parse(body)])).toEqual([
    ['', { summaryOverride: 'Ours' }],
    ['?colorRgbFormat=true', { summaryOverride: 'Ours', foregroundColor: '#ffffff' }],
  ])
})

it('a contact is written by its resource name', async () => {
  await using opened = await open('contacts')
  const { connector, seen } = opened
  const record = { names: [{ givenName: 'Ada' }] }
  const { recordId: id = '' } = await connector.write({ object: 'myConnections', type: 'create', record })
  expect(id).toBe('people/c7')
  await connector.write({ object: 'myConnections', type: 'delete', id, record: {} })
  expect(asked(seen)).toEqual([
    'POST /v1/people:createContact {"names":[{"givenName":"Ada"}]}',
    'DELETE /v1/people/c7:deleteContact',
  ])
})

it.each([
  ['/gmail/v1/users/me/messages', ['300']],
  ['/gmail/v1/users/me/messages/m1', ['300']],
  ['/gmail/v1/users/me/messages/send', ['300', '60']],
  ['/upload/gmail/v1/users/me/messages/send', ['300', '60']],
  ['/gmail/v1/users/me/drafts/send', ['60']],
  ['/gmail/v1/users/me/drafts', []],
  ['/gmail/v1/users/me/threads/t1', ['150']],
  ['/gmail/v1/users/me/labels', []],
  ['/calendar/v3/calendars/primary/events', ['600']],
  ['/v1/people/me/connections', []],
])('requests of %s keep these limits of a user', (pathname, limits) => {
  expect(appliedLimits(entry, pathname)).toEqual(limits.map((limit) => `${limit} in 60 s per connection`))
})

it('requests that Mortise makes to Gmail and Calendar keep them', async () => {
  await using gmail = await open('gmail')
  await readAll(gmail.connector, { object: 'messages', fields: ['id'] })
  await gmail.connector.write({ object: 'messages', type: 'create', record: { raw: 'x' } })
  expect(gmail.seen.map(({ url }) => appliedLimits(entry, url.pathname).length)).toEqual([1, 1, 1, 1, 1, 1, 2])
  await using calendar = await open('calendar')
  await calendar.connector.write({ object: 'calendarList', type: 'update', id: 'x', record: {} })
  expect(calendar.seen.map(({ url }) => appliedLimits(entry, url.pathname).length)).toEqual([1])
})
