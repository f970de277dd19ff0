import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What developer.paddle.com/api-reference shows, as far as the provider file relies on it. */

const credential = { scheme: 'apiKey', apiKey: 'key' } as const
const pagination = { per_page: 200, next: null, has_more: false, estimated_total: 4 }

function paddle({ method, url }: SeenRequest): Answer {
  if (method === 'DELETE') return { status: 204 }
  if (url.pathname === '/discounts') {
    const wanted = (url.searchParams.get('status') ?? 'active').split(',')
    const all = ['active', 'archived', 'expired', 'used'].map((status) => ({ id: `dsc_${status}`, status }))
    return { body: { data: all.filter(({ status }) => wanted.includes(status)), meta: { pagination } } }
  }
  if (url.pathname === '/customers') return { body: { data: [{ id: 'ctm_1' }], meta: { pagination } } }
  if (url.pathname !== '/customers/ctm_1/payment-methods' || url.searchParams.has('status')) return { status: 400 }
  return { body: { data: [{ id: 'paymtd_1', customer_id: 'ctm_1', type: 'card' }], meta: { pagination } } }
}

it('discounts are read in every status', async () => {
  await using provider = await openProvider('paddle', paddle, { credential })
  const { records } = await provider.connector.readPage({ object: 'discounts', fields: ['status'] })
  expect(records.map(({ id }) => id)).toEqual(['dsc_active', 'dsc_archived', 'dsc_expired', 'dsc_used'])
})

it('payment methods are read for each customer, and deleted there', async () => {
  await using provider = await openProvider('paddle', paddle, { credential })
  const { connector, seen } = provider
  const { records } = await connector.readPage({ object: 'payment-methods', fields: ['type'] })
  expect(records).toMatchObject([{ id: 'ctm_1/paymtd_1', fields: { type: 'card' } }])
  await connector.write({ object: 'payment-methods', type: 'delete', id: 'ctm_1/paymtd_1', record: {} })
  expect(asked(seen).at(-1)).toBe('DELETE /customers/ctm_1/payment-methods/paymtd_1')
})
