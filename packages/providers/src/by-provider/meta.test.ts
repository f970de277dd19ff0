import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developers.facebook.com shows as answers, as far as the provider file relies on it. */

const next = 'https://graph.facebook.com/v25.0/act_1/campaigns?access_token=secret&limit=100&after=QVFI'

function meta({ url }: SeenRequest): Answer {
  if (url.pathname === '/v25.0/me/adaccounts') return { body: { data: [{ id: 'act_1' }] } }
  if (url.searchParams.has('after')) return { body: { data: [{ id: '2' }], paging: { cursors: { after: 'QVFJ' } } } }
  return { body: { data: [{ id: '1' }], paging: { cursors: { after: 'QVFI' }, next } } }
}

it('campaigns are read page by page, archived ones too, without the token of the link', async () => {
  await using provider = await openProvider('meta', meta, { module: 'ads' })
  const { records, nextPage } = await provider.connector.readPage({ object: 'campaigns', fields: ['id'] })
  expect(records.map(({ id }) => id)).toEqual(['1', '2'])
  expect(nextPage).toBeUndefined()
  const pages = provider.seen.map(({ url }) => url.searchParams).filter((query) => query.has('effective_status'))
  expect(pages.map((query) => [query.get('effective_status'), query.get('after'), query.get('access_token')])).toEqual([
    ['["ACTIVE","PAUSED","ARCHIVED","IN_PROCESS","WITH_ISSUES"]', null, null],
    ['["ACTIVE","PAUSED","ARCHIVED","IN_PROCESS","WITH_ISSUES"]', 'QVFI', null],
  ])
})

it.each([
  [190, 'auth_invalidated'],
  [17, 'rate_limited'],
  [100, 'bad_request'],
])('the error %s is %s', async (code, errorClass) => {
  const body = { error: { message: 'No.', type: 'OAuthException', code } }
  await using provider = await openProvider('meta', () => ({ status: 400, body }), { module: 'ads' })
  const read = provider.connector.readPage({ object: 'adaccounts', fields: ['id'] })
  await expect(read).rejects.toMatchObject({ class: errorClass, providerMessage: 'No.' })
})

it.each([
  ['facebookPages', 'posts', '/v25.0/9/feed'],
  ['instagram', 'media', '/v25.0/me/media'],
])('%s: %s are read page by page, without the token of the link', async (name, object, path) => {
  const link = `https://graph.facebook.com${path}?access_token=secret&limit=100&after=QVFI`
  const answer = ({ url }: SeenRequest): Answer => {
    if (url.pathname === '/v25.0/me') return { body: { id: '9', category: 'Bakery' } }
    return url.searchParams.has('after')
      ? {
          body: {
            data: [{ id: '2', updated_time: '2026-01-02T00:00:00+0000' }],
            paging: { cursors: { after: 'QVFJ' } },
          },
        }
      : { body: { data: [{ id: '1' }], paging: { cursors: { after: 'QVFI' }, next: link } } }
  }
  await using provider = await openProvider(name, answer)
  const records = await readAll(provider.connector, { object, fields: ['id'] })
  expect(records.map(({ id }) => id)).toEqual(['1', '2'])
  const lists = provider.seen.filter(({ url }) => url.pathname !== '/v25.0/me')
  expect(lists.map(({ url }) => [url.pathname, url.searchParams.get('access_token')])).toEqual([
    [path, null],
    [path, null],
  ])
})

it.each(['posts', 'comments'])('with the token of a person, no feed is requested for %s', async (object) => {
  const message = '(#100) Tried accessing nonexisting field (category) on node type (User)'
  await using provider = await openProvider('facebookPages', ({ url }) =>
    url.pathname === '/v25.0/me' && url.searchParams.get('fields')?.includes('category')
      ? { status: 400, body: { error: { message, type: 'OAuthException', code: 100 } } }
      : { body: { data: [{ id: '1' }] } },
  )
  const read = readAll(provider.connector, { object, fields: ['id'] })
  await expect(read).rejects.toMatchObject({ class: 'bad_request', providerMessage: message })
  expect(provider.seen).toHaveLength(1)
})

it.each(['comments', 'leads'])('without permission for %s, a read of them is an error', async (object) => {
  const refused = { status: 403, body: { error: { message: 'No.', type: 'OAuthException', code: 200 } } }
  await using provider = await openProvider('facebookPages', ({ url }) => {
    if (url.pathname === '/v25.0/me') return { body: { id: '9', category: 'Bakery' } }
    return url.pathname.endsWith(`/${object}`) ? refused : { body: { data: [{ id: '1' }] } }
  })
  const read = readAll(provider.connector, { object, fields: ['id'] })
  await expect(read).rejects.toMatchObject({ class: 'forbidden' })
})

it('a deleted campaign, which has its id still, is not found', async () => {
  const answer = ({ url }: SeenRequest): Answer => {
    const status = { '/v25.0/7': 'DELETED', '/v25.0/8': 'DISAPPROVED' }[url.pathname] ?? 'PAUSED'
    return { body: { id: url.pathname.slice(7), status: 'ACTIVE', effective_status: status } }
  }
  await using provider = await openProvider('meta', answer, { module: 'ads' })
  for (const object of ['ads', 'adsets', 'campaigns']) {
    expect(await provider.connector.fetchRecord(object, '7', ['name'])).toBeUndefined()
    expect(await provider.connector.fetchRecord(object, '8', ['name'])).toMatchObject({ id: '8' })
  }
})

it.each(['ads', 'adsets'])('%s that changed are requested', async (object) => {
  await using provider = await openProvider('meta', meta, { module: 'ads' })
  const since = new Date('2026-01-01T00:00:00Z')
  await readAll(provider.connector, { object, fields: ['id'], since })
  expect(provider.seen.at(-1)?.url.searchParams.get('updated_since')).toBe('1767225599')
})

it('a list of media of Instagram that has the newest 10,000 is not taken for all of them', async () => {
  const answer = ({ url }: SeenRequest): Answer => {
    const page = Number(url.searchParams.get('after') ?? 0)
    const data = Array.from({ length: 100 }, (_, at) => ({ id: `${page}-${at}` }))
    return { body: { data, paging: page < 99 ? { next: `https://graph.instagram.com/?after=${page + 1}` } : {} } }
  }
  await using provider = await openProvider('instagram', answer)
  const read = readAll(provider.connector, { object: 'media', fields: ['id'] })
  await expect(read).rejects.toMatchObject({ class: 'list_truncated' })
})

it('a phone number of WhatsApp is created', async () => {
  const metadata = { whatsappAccountId: '10', whatsappPhoneNumberId: '11' }
  await using provider = await openProvider('meta', () => ({ body: { id: '12' } }), { module: 'whatsapp', metadata })
  const record = { cc: '1', phone_number: '5550100', verified_name: 'Acme' }
  const written = await provider.connector.write({ object: 'phone_numbers', type: 'create', record })
  expect(written).toMatchObject({ success: true, recordId: '12' })
})
