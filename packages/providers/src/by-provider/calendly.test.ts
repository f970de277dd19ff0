import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  openSubscriber,
  type ProviderHttpRequest,
  parseEvents,
  recordIn,
  verifyingKeys,
  verifyRequest,
} from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What developer.calendly.com/api-docs shows as answers, as far as the provider file relies on it. */

const api = 'https://api.calendly.com'
const organization = `${api}/organizations/ORG`
const metadata = { OrganizationURI: organization, UserURI: `${api}/users/ADA` }
const invitee = (event: string, id: string) => ({
  uri: `${api}/scheduled_events/${event}/invitees/${id}`,
  event: `${api}/scheduled_events/${event}`,
  email: `${id.toLowerCase()}@example.com`,
  updated_at: '2026-01-02T00:00:00.341657Z',
})
const contact = {
  uri: `${api}/contacts/C1`,
  name: 'Ada',
  custom_fields: [{ uri: `${api}/contacts/custom_field_definitions/D1`, label: 'Lead source', value: 'web' }],
  updated_at: '2026-01-02T00:00:00.341657Z',
}

function calendly({ method, url: { pathname, searchParams } }: SeenRequest): Answer {
  if (method === 'DELETE') return { status: 204 }
  if (method === 'POST' && pathname === '/event_types') {
    const details = [{ parameter: 'owner', message: 'is required' }]
    return {
      status: 400,
      body: { title: 'Invalid Argument', message: 'The supplied parameters are invalid.', details },
    }
  }
  if (method === 'POST' && pathname === '/invitees') return { status: 201, body: { resource: invitee('E9', 'EVE') } }
  if (method === 'POST' && pathname.endsWith('/cancellation')) {
    return { status: 201, body: { resource: { canceled_by: 'Ada', reason: '', canceler_type: 'host' } } }
  }
  if (method !== 'GET') return { status: method === 'POST' ? 201 : 200, body: { resource: contact } }
  if (pathname === '/contacts/C1') return { body: { resource: contact } }
  const list = (collection: unknown[], next_page_token: string | null = null) => ({
    body: { collection, pagination: { count: collection.length, next_page: null, next_page_token } },
  })
  switch (pathname) {
    case '/scheduled_events':
      return searchParams.has('page_token')
        ? list([{ uri: `${api}/scheduled_events/E2` }])
        : list([{ uri: `${api}/scheduled_events/E1` }], 'next')
    case '/scheduled_events/E1/invitees':
      return list([invitee('E1', 'BOB'), { ...invitee('E1', 'OLD'), updated_at: '2020-01-01T00:00:00.000000Z' }])
    case '/scheduled_events/E2/invitees':
      return list([invitee('E2', 'CAT')])
    case '/contacts':
      return list([contact, { ...contact, uri: `${api}/contacts/C2`, updated_at: '2020-01-01T00:00:00Z' }], 'next')
    case '/contacts/custom_field_definitions':
      return list([{ uri: `${api}/contacts/custom_field_definitions/D1`, label: 'Lead source', field_type: 'text' }])
    case '/groups':
      return { status: 429, body: { message: 'Too many requests' }, headers: { 'x-ratelimit-reset': '60' } }
    default:
      return { status: 404, body: { title: 'Resource Not Found', message: 'There is no such resource.' } }
  }
}

it('invitees of every scheduled event are read, and those that did not change are dropped', async () => {
  await using provider = await openProvider('calendly', calendly, { metadata })
  const since = new Date('2026-01-01T00:00:00Z')
  const { records, nextPage } = await provider.connector.readPage({ object: 'invitees', fields: ['email'], since })
  expect(records.map(({ id, fields }) => [id, fields['email']])).toEqual([
    [`${api}/scheduled_events/E1/invitees/BOB`, 'bob@example.com'],
    [`${api}/scheduled_events/E2/invitees/CAT`, 'cat@example.com'],
  ])
  expect(nextPage).toBeUndefined()
  expect(asked(provider.seen)).toEqual([
    `GET /scheduled_events?organization=${organization}&count=100`,
    'GET /scheduled_events/E1/invitees?count=100',
    `GET /scheduled_events?organization=${organization}&count=100&page_token=next`,
    'GET /scheduled_events/E2/invitees?count=100',
  ])
})

it('contacts come with their custom fields, the newest first, and are read no further than the window', async () => {
  await using provider = await openProvider('calendly', calendly, { metadata })
  const { connector, seen } = provider
  const { fields } = await connector.describeObject('contacts')
  expect(fields['Lead source']).toMatchObject({ valueType: 'string', isCustom: true })
  const since = new Date('2026-01-01T00:00:00Z')
  const request = { object: 'contacts', fields: ['name', 'Lead source'], since }
  expect(await connector.readPage(request)).toMatchObject({
    records: [{ id: contact.uri, fields: { name: 'Ada', 'lead source': 'web' } }],
    nextPage: undefined,
  })
  expect(asked(seen).at(-1)).toBe('GET /contacts?count=100&sort=updated_at:desc')
})

it('what is written is named by the end of its URL, and custom fields by their definitions', async () => {
  await using provider = await openProvider('calendly', calendly, { metadata })
  const { connector, seen } = provider
  const record = { name: 'Ada', 'Lead source': 'fair' }
  const changed = await connector.write({ object: 'contacts', type: 'update', id: contact.uri, record })
  expect(changed).toMatchObject({ recordId: contact.uri })
  await connector.write({ object: 'contacts', type: 'delete', id: contact.uri, record: {} })
  expect(await connector.fetchRecord('contacts', contact.uri, ['name'])).toMatchObject({ id: contact.uri })
  const booked = { event_type: `${api}/event_types/T1`, start_time: '2026-02-01T10:00:00Z', invitee: { name: 'Eve' } }
  expect(await connector.write({ object: 'invitees', type: 'create', record: booked })).toMatchObject({
    recordId: `${api}/scheduled_events/E9/invitees/EVE`,
  })
  const event = `${api}/scheduled_events/E1`
  const cancelled = await connector.write({ object: 'scheduled_events', type: 'delete', id: event, record: {} })
  expect(cancelled).toMatchObject({ success: true })
  expect(asked(seen)).toEqual([
    'GET /contacts/custom_field_definitions',
    'PATCH /contacts/C1 {"name":"Ada","custom_fields":[{"uuid":"D1","value":"fair"}]}',
    'DELETE /contacts/C1',
    'GET /contacts/C1',
    `POST /invitees ${JSON.stringify(booked)}`,
    'POST /scheduled_events/E1/cancellation',
  ])
})

it('what is wrong is told for each parameter, and a limit says when to come back', async () => {
  await using provider = await openProvider('calendly', calendly, { metadata })
  const { connector } = provider
  const written = connector.write({ object: 'event_types', type: 'create', record: { name: 'Intro' } })
  await expect(written).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'The supplied parameters are invalid.',
    errors: [{ message: expect.stringContaining('is required') as unknown }],
  })
  await expect(connector.readPage({ object: 'groups', fields: 'all' })).rejects.toMatchObject({
    class: 'rate_limited',
    retryAfterMs: 60_000,
  })
})

it('a webhook is registered for the organization with a key of ours, and ended by the end of its URL', async () => {
  await using provider = await openProvider('calendly', calendly, { metadata })
  const sent: ProviderHttpRequest[] = []
  const http = async (request: ProviderHttpRequest) => {
    sent.push(request)
    const answer = { resource: { uri: `${api}/webhook_subscriptions/W1` } }
    return { status: request.method === 'POST' ? 201 : 204, headers: {}, body: JSON.stringify(answer) }
  }
  const context = { metadata, credential: { scheme: 'oauth2', accessToken: 't1' } as const }
  const subscriber = openSubscriber(provider.entry, context, http, { now: () => 0 })
  const plan = {
    registration: 'our-id',
    url: 'https://m.test/in',
    secret: 'ours',
    key: '',
    events: ['invitee.created'],
  }
  const made = await subscriber.register(plan)
  expect(made).toMatchObject({ id: `${api}/webhook_subscriptions/W1` })
  await subscriber.unregister({ ...plan, id: made.id })
  expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
    `POST ${api}/webhook_subscriptions`,
    `DELETE ${api}/webhook_subscriptions/W1`,
  ])
  expect(JSON.parse(String(sent[0]?.body))).toEqual({
    url: plan.url,
    events: plan.events,
    organization,
    scope: 'organization',
    signing_key: 'ours',
  })
})

it('an event that is signed as Calendly signs is genuine for three minutes, and holds its invitee', async () => {
  await using provider = await openProvider('calendly', calendly, { metadata })
  const webhooks = provider.entry.file?.webhooks
  if (webhooks === undefined) throw new Error('no webhooks')
  const event = { event: 'invitee.canceled', created_at: '2026-01-02T00:00:00.000000Z', payload: invitee('E1', 'BOB') }
  const body = JSON.stringify(event)
  const v1 = createHmac('sha256', 'ours').update(`1767312000.${body}`).digest('hex')
  const headers = { 'calendly-webhook-signature': `t=1767312000,v1=${v1}` }
  const request = { method: 'POST', url: 'https://m.test/in', headers, body: Buffer.from(body) }
  const keys = verifyingKeys(webhooks.verify, 'ours')
  const verdict = (at: number) => verifyRequest(webhooks.verify, request, keys, at * 1000)
  expect([await verdict(1_767_312_060), await verdict(1_767_312_600)]).toEqual(['genuine', 'stale'])
  const [told] = parseEvents(webhooks, event, headers)
  expect(told).toMatchObject({ name: 'invitee.canceled', id: event.payload.uri })
  expect(recordIn(webhooks, 'invitees', event)).toEqual(event.payload)
})
