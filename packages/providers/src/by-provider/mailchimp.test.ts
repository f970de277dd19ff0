import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What mailchimp.com/developer/marketing/api shows, as far as the provider file relies on it. */

function mailchimp({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'DELETE') return { status: 204 }
  if (method !== 'GET') {
    const errors = [{ field: 'email_address', message: 'This value should not be blank.' }]
    const detail = 'The resource submitted could not be validated.'
    const given = JSON.parse(body) as { email_address?: string }
    return given.email_address === undefined && method === 'POST'
      ? { status: 400, body: { title: 'Invalid Resource', status: 400, detail, errors } }
      : { body: { id: 'm9', list_id: 'a', ...given } }
  }
  const count = Number(searchParams.get('count'))
  const offset = Number(searchParams.get('offset'))
  if (count < 1 || count > 1000) return { status: 400, body: { detail: 'Items must be between 1 and 1000' } }
  if (pathname === '/3.0/lists') return { body: { lists: [{ id: 'a' }, { id: 'b' }], total_items: 2 } }
  if (pathname === '/3.0/ecommerce/stores') return { body: { stores: [{ id: 'shop' }], total_items: 1 } }
  if (pathname === '/3.0/ecommerce/stores/shop/orders') return { body: { orders: [{ id: '7' }], total_items: 1 } }
  const list_id = /^\/3\.0\/lists\/(\w)\/members$/.exec(pathname)?.[1]
  if (list_id === undefined || searchParams.get('sort_dir') !== 'DESC') return { status: 404 }
  const all = Array.from({ length: 1001 }, (_, at) => ({ id: `m${at}`, list_id }))
  return { body: { members: all.slice(offset, offset + count), total_items: 1001 } }
}

const open = () => openProvider('mailchimp', mailchimp, { metadata: { dc: 'us1' } })

it('members of every audience are read to the last page', async () => {
  await using provider = await open()
  const since = new Date('2026-01-01T00:00:00Z')
  const request = { object: 'members', fields: ['email_address'], since }
  const ids = (await readAll(provider.connector, request)).map(({ id }) => id)
  expect(new Set(ids).size).toBe(2002)
  expect(ids.slice(1000, 1002)).toEqual(['a/m1000', 'b/m0'])
  const requests = asked(provider.seen).filter((line) => line.includes('/members'))
  expect(requests).toHaveLength(4)
  for (const line of requests) expect(line).toContain('since_last_changed=2025-12-31T23:59:59Z')
})

it('members are written in their audience', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const record = { list_id: 'a', email_address: 'ada@example.com', status: 'subscribed' }
  expect(await connector.write({ object: 'members', type: 'create', record })).toMatchObject({ recordId: 'a/m9' })
  await connector.write({ object: 'members', type: 'update', id: 'a/m9', record: { status: 'unsubscribed' } })
  await connector.write({ object: 'members', type: 'delete', id: 'a/m9', record: {} })
  expect(asked(seen)).toEqual([
    'POST /3.0/lists/a/members {"email_address":"ada@example.com","status":"subscribed"}',
    'PATCH /3.0/lists/a/members/m9 {"status":"unsubscribed"}',
    'DELETE /3.0/lists/a/members/m9',
  ])
})

it('orders are read of every store, and deleted there', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const records = await readAll(connector, { object: 'ecommerce/orders', fields: ['store_id'] })
  expect(records).toMatchObject([{ id: 'shop/7', fields: { store_id: 'shop' } }])
  await connector.write({ object: 'ecommerce/orders', type: 'delete', id: 'shop/7', record: {} })
  expect(asked(seen).at(-1)).toBe('DELETE /3.0/ecommerce/stores/shop/orders/7')
})

it('what Mailchimp refuses is an error with its reasons', async () => {
  await using provider = await open()
  const refused = provider.connector.write({ object: 'members', type: 'create', record: { list_id: 'a' } })
  await expect(refused).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'The resource submitted could not be validated.',
    errors: [{ message: 'email_address: This value should not be blank.' }],
  })
})
