import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What eventbrite.com/platform/api shows, as far as the provider file relies on it. */

function eventbrite({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (!pathname.endsWith('/')) return { status: 301, headers: { location: `${pathname}/` } }
  if (method !== 'GET') {
    const { event } = JSON.parse(body) as { event: { currency?: string } }
    const error = { status_code: 400, error: 'ARGUMENTS_ERROR', error_description: 'event.currency is missing.' }
    return event.currency === undefined ? { status: 400, body: error } : { body: { id: '9', ...event } }
  }
  if (pathname === '/v3/users/me/organizations/')
    return { body: { pagination: { has_more_items: false }, organizations: [{ id: '1' }, { id: '2' }] } }
  const [, of, name = ''] = /^\/v3\/organizations\/(\d)\/(\w+)\/$/.exec(pathname) ?? []
  if (of === undefined) return { status: 404, body: { error: 'NOT_FOUND' } }
  const second = searchParams.get('continuation') === 'next'
  const pagination = second ? { has_more_items: false } : { has_more_items: true, continuation: 'next' }
  return { body: { pagination, [name]: [{ id: `${of}${second ? 'b' : 'a'}` }] } }
}

it('orders of every organization are read to the last page, those that changed', async () => {
  await using provider = await openProvider('eventbrite', eventbrite)
  const request = { object: 'orders', fields: ['email'], since: new Date('2026-01-01T00:00:00.500Z') }
  const ids = (await readAll(provider.connector, request)).map(({ id }) => id)
  expect(ids).toEqual(['1a', '1b', '2a', '2b'])
  const window = 'changed_since=2026-01-01T00:00:00Z'
  expect(asked(provider.seen).filter((line) => line.includes('/orders/'))).toEqual([
    `GET /v3/organizations/1/orders/?${window}`,
    `GET /v3/organizations/1/orders/?continuation=next&${window}`,
    `GET /v3/organizations/2/orders/?${window}`,
    `GET /v3/organizations/2/orders/?continuation=next&${window}`,
  ])
})

it('events are written under their name, in their organization', async () => {
  await using provider = await openProvider('eventbrite', eventbrite)
  const { connector, seen } = provider
  const record = { organization_id: '1', currency: 'USD' }
  expect((await connector.write({ object: 'events', type: 'create', record })).recordId).toBe('9')
  await connector.write({ object: 'events', type: 'update', id: '9', record: { currency: 'EUR' } })
  expect(asked(seen)).toEqual([
    'POST /v3/organizations/1/events/ {"event":{"currency":"USD"}}',
    'POST /v3/events/9/ {"event":{"currency":"EUR"}}',
  ])
})

it('what Eventbrite refuses is an error with its reason', async () => {
  await using provider = await openProvider('eventbrite', eventbrite)
  const record = { organization_id: '1', capacity: 5 }
  const refused = provider.connector.write({ object: 'events', type: 'create', record })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'event.currency is missing.' })
})

it('the health check asks for a path that is not redirected', async () => {
  await using provider = await openProvider('eventbrite', eventbrite)
  expect(provider.entry.healthCheck).toMatchObject({ url: 'https://www.eventbriteapi.com/v3/users/me/' })
})
