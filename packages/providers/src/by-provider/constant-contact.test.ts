import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developer.constantcontact.com shows as answers, as far as the provider file relies on it. */

const definitions = { custom_fields: [{ custom_field_id: 'f1', name: 'hobby', label: 'Hobby', type: 'string' }] }

function constantContact({ method, url }: SeenRequest): Answer {
  if (url.pathname === '/v3/contact_custom_fields') return { body: definitions }
  if (method === 'GET' && url.pathname === '/v3/contact_lists') {
    const channel = url.searchParams.get('channel_type') ?? 'email'
    const kept = { list_id: channel, updated_at: '2026-01-02T00:00:00Z' }
    const deleted = {
      list_id: `${channel}-old`,
      updated_at: '2026-01-02T00:00:00Z',
      deleted_at: '2026-01-02T00:00:00Z',
    }
    return { body: { lists: [kept, deleted] } }
  }
  if (method === 'GET' && url.pathname === '/v3/contacts') {
    const deleted = { contact_id: 'c2', deleted_at: '2026-01-02T00:00:00Z' }
    return { body: { contacts: [{ contact_id: 'c1' }, deleted] } }
  }
  if (url.pathname === '/v3/emails')
    return {
      body: {
        campaigns: [
          { campaign_id: 'e1', current_status: 'Done' },
          { campaign_id: 'e2', current_status: 'Removed' },
          { campaign_id: 'e3', current_status: 'Ready' },
        ],
      },
    }
  if (method === 'PUT') return { body: { contact_id: 'c1', first_name: 'Ada', last_name: 'Lang' } }
  if (url.pathname === '/v3/contact_lists/l1') return { body: { list_id: 'l1', name: 'Old', favorite: true } }
  return { body: { contact_id: 'c1', email_address: { address: 'd@example.com' }, first_name: 'D', last_name: 'Lang' } }
}

it('an update of a contact keeps what the caller leaves out', async () => {
  await using provider = await openProvider('constantContact', constantContact)
  const { connector } = provider
  const record = { first_name: 'Ada', hobby: 'Chess', update_source: 'Account' }
  expect(await connector.write({ object: 'contacts', type: 'update', id: 'c1', record })).toMatchObject({
    success: true,
    recordId: 'c1',
  })
  const put = provider.seen.find(({ method }) => method === 'PUT')
  expect(JSON.parse(put?.body ?? '')).toEqual({
    contact_id: 'c1',
    email_address: { address: 'd@example.com' },
    first_name: 'Ada',
    last_name: 'Lang',
    update_source: 'Account',
    custom_fields: [{ custom_field_id: 'f1', value: 'Chess' }],
  })
})

it('lists of both channels are read, and what was deleted is a deletion', async () => {
  await using provider = await openProvider('constantContact', constantContact)
  const since = new Date('2026-01-01T00:00:00Z')
  const found = async (object: string) =>
    (await readAll(provider.connector, { object, fields: [], since, deletions: true })).map((record) => [
      record.id,
      record.deleted,
    ])
  expect(await found('contacts')).toEqual([
    ['c1', undefined],
    ['c2', true],
  ])
  expect(await found('contact_lists')).toEqual([
    ['email', undefined],
    ['email-old', true],
    ['sms', undefined],
    ['sms-old', true],
  ])
  expect(await found('email_campaigns')).toEqual([
    ['e1', undefined],
    ['e2', true],
    ['e3', undefined],
  ])
})

it.each([
  ['contacts', ['c1']],
  ['contact_lists', ['email', 'sms']],
  ['email_campaigns', ['e1', 'e3']],
])('deleted %s are left out, unless a read of changes requests deletions', async (object, expected) => {
  await using provider = await openProvider('constantContact', constantContact)
  const since = new Date('2026-01-01T00:00:00Z')
  for (const how of [{}, { since }, { deletions: true }, { idsOnly: true }]) {
    const found = await readAll(provider.connector, { object, fields: [], ...how })
    expect(found.map(({ id }) => id)).toEqual(expected)
  }
})

it.each([
  ['contacts', { contact_id: 'x1', deleted_at: '2026-01-02T00:00:00Z' }],
  ['contact_lists', { list_id: 'x1', deleted_at: '2026-01-02T00:00:00Z' }],
  ['email_campaigns', { campaign_id: 'x1', current_status: 'Removed' }],
])('one of the deleted %s is not found by its id', async (object, deleted) => {
  let body: object = deleted
  await using provider = await openProvider('constantContact', () => ({ body }))
  expect(await provider.connector.fetchRecord(object, 'x1', [])).toBeUndefined()
  body = { ...deleted, deleted_at: undefined, current_status: 'Draft' }
  expect(await provider.connector.fetchRecord(object, 'x1', [])).toMatchObject({ id: 'x1' })
})

it('a page of summaries of campaigns has 500', async () => {
  const body = { bulk_email_campaign_summaries: [{ campaign_id: 'e1' }] }
  await using provider = await openProvider('constantContact', () => ({ body }))
  await provider.connector.readPage({ object: 'email_campaign_summaries', fields: [] })
  expect(provider.seen[0]?.url.searchParams.get('limit')).toBe('500')
})

it('an update of a list requests only what the caller leaves out', async () => {
  await using provider = await openProvider('constantContact', constantContact)
  const record = { name: 'New', description: 'Buyers' }
  await provider.connector.write({ object: 'contact_lists', type: 'update', id: 'l1', record })
  expect(asked(provider.seen)).toEqual([
    'GET /v3/contact_lists/l1',
    'PUT /v3/contact_lists/l1 {"name":"New","description":"Buyers","favorite":true}',
  ])
})

it('segments are read from the one that changed last to the first that is older than the window', async () => {
  await using provider = await openProvider('constantContact', ({ url }): Answer => {
    const dated = (segment_id: number, edited_at: string) => ({ segment_id, edited_at })
    if (url.searchParams.get('sort_by') !== 'date') return { status: 400 }
    const segments = [dated(2, '2026-01-02T00:00:00.000Z'), dated(1, '2025-01-01T00:00:00.000Z')]
    return { body: { segments, _links: { next: { href: '/v3/segments?cursor=c2' } } } }
  })
  const since = new Date('2026-01-01T00:00:00Z')
  const found = await readAll(provider.connector, { object: 'segments', fields: ['name'], since })
  expect(found.map(({ id }) => id)).toEqual(['2'])
  expect(provider.seen).toHaveLength(1)
})
