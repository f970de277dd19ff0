import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What developer.fastspring.com/reference shows as answers, as far as the provider file relies on it. */

const credential = { scheme: 'basic', username: 'user', password: 'secret' } as const

function fastSpring({ method, url, body }: SeenRequest): Answer {
  const action = method === 'DELETE' ? 'subscription.cancel' : 'subscription.update'
  if (url.pathname !== '/subscriptions' && method !== 'DELETE') return { status: 404, body: {} }
  if (!body.includes('gone')) return { body: { subscriptions: [{ subscription: 's1', action, result: 'success' }] } }
  const error = { product: 'Product does not exist.' }
  return { body: { subscriptions: [{ subscription: 's1', action, result: 'error', error }] } }
}

it('a subscription is changed in a list of changes, and canceled by its id', async () => {
  await using provider = await openProvider('fastSpring', fastSpring, { credential })
  const { connector, seen } = provider
  const object = 'subscriptions'
  const record = { product: 'plan-b' }
  expect(await connector.write({ object, type: 'update', id: 's1', record })).toMatchObject({ recordId: 's1' })
  await connector.write({ object, type: 'delete', id: 's1', record: {} })
  expect(asked(seen)).toEqual([
    'POST /subscriptions {"subscriptions":[{"product":"plan-b","subscription":"s1"}]}',
    'DELETE /subscriptions/s1',
  ])
})

it('a refused change is an error with its reason, though the status is 200', async () => {
  await using provider = await openProvider('fastSpring', fastSpring, { credential })
  const change = { object: 'subscriptions', type: 'update', id: 's1', record: { product: 'gone' } } as const
  await expect(provider.connector.write(change)).rejects.toMatchObject({
    errors: [{ message: 'product: Product does not exist.' }],
  })
})

it('an account is read by its id from a list of one', async () => {
  const account = { id: 'a1', account: 'a1', country: 'US', action: 'account.get', result: 'success' }
  const server = ({ url }: SeenRequest) =>
    url.pathname === '/accounts/a1' ? { body: { accounts: [account] } } : { status: 404 }
  await using provider = await openProvider('fastSpring', server, { credential })
  const found = await provider.connector.fetchRecord('accounts', 'a1', ['country'])
  expect(found).toMatchObject({ id: 'a1', fields: { country: 'US' } })
})

it('a product has its path in `product`', async () => {
  await using provider = await openProvider('fastSpring', fastSpring, { credential })
  expect(Object.keys((await provider.connector.describeObject('products')).fields)).toEqual(['product'])
})

const accountIds = Array.from({ length: 51 }, (_, at) => `a${at + 1}`)

/** Lists of ids, and the records that they name. Account `a2` is unknown: `status` says how FastSpring answers. */
function lists(status: number) {
  return ({ url }: SeenRequest): Answer => {
    const { pathname, searchParams } = url
    if (pathname === '/accounts') {
      const start = (Number(searchParams.get('page')) - 1) * 50
      return { body: { accounts: accountIds.slice(start, start + 50) } }
    }
    if (pathname === '/accounts/a2')
      return { status, body: { action: 'account.get', result: 'error', error: { account: 'account not found' } } }
    const id = pathname.split('/')[2] ?? ''
    if (pathname.startsWith('/accounts/')) return { body: { accounts: [{ id, account: id, country: 'US' }] } }
    if (pathname === '/products') return { body: { page: null, limit: null, nextPage: null, products: ['p1', 'gone'] } }
    if (pathname === '/products/gone')
      return { body: { products: [{ product: 'gone', result: 'error', error: { product: 'Not found' } }] } }
    if (pathname === '/products/p1') return { body: { products: [{ product: 'p1', format: 'digital' }] } }
    if (pathname === '/subscriptions') return { body: { page: 1, limit: 50, nextPage: null, subscriptions: ['s1'] } }
    if (pathname === '/subscriptions/s1') return { body: { id: 's1', subscription: 's1', state: 'active' } }
    return { status: 404, body: {} }
  }
}

it.each([200, 400, 404, 500])(
  'accounts of a list of ids are read; one that is unknown is left out (%s)',
  async (status) => {
    await using provider = await openProvider('fastSpring', lists(status), { credential })
    const { connector, seen } = provider
    const first = await connector.readPage({ object: 'accounts', fields: ['country'] })
    const second = await connector.readPage({ object: 'accounts', fields: ['country'], page: first.nextPage ?? '' })
    expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(accountIds.filter((id) => id !== 'a2'))
    expect(first.records[0]?.fields).toEqual({ country: 'US' })
    expect(second.nextPage).toBeUndefined()
    expect(asked(seen)).toEqual(expect.arrayContaining(['GET /accounts?page=2&limit=50', 'GET /accounts/a51']))
    expect(await connector.fetchRecord('accounts', 'a2', ['country'])).toBeUndefined()
  },
)

it('products and subscriptions are read by the ids of their lists', async () => {
  await using provider = await openProvider('fastSpring', lists(400), { credential })
  const { connector } = provider
  const products = await connector.readPage({ object: 'products', fields: ['format'] })
  expect(products).toMatchObject({ records: [{ id: 'p1', fields: { format: 'digital' } }], nextPage: undefined })
  const subscriptions = await connector.readPage({ object: 'subscriptions', fields: ['state'] })
  expect(subscriptions).toMatchObject({ records: [{ id: 's1', fields: { state: 'active' } }], nextPage: undefined })
})

it('orders are read by days, 30 at a time, and the first and the last one are not the same', async () => {
  const order = { order: 'o1', id: 'o1', completed: true }
  const server = () => ({
    body: { action: 'order.lookup', result: 'success', nextPage: null, total: 1, orders: [order] },
  })
  await using provider = await openProvider('fastSpring', server, { credential })
  const { connector, seen } = provider
  const day = { object: 'orders', fields: ['completed'], since: new Date('2026-03-04T05:06:07Z') }
  const page = await connector.readPage({ ...day, until: new Date('2026-03-04T06:00:00Z') })
  expect(page).toMatchObject({ records: [{ id: 'o1', fields: { completed: true } }], nextPage: undefined })
  const long = await connector.readPage({ ...day, until: new Date('2026-04-20T00:00:00Z') })
  await connector.readPage({ ...day, until: new Date('2026-04-20T00:00:00Z'), page: long.nextPage ?? '' })
  expect(asked(seen)).toEqual([
    'GET /orders?begin=2026-03-02&end=2026-03-04&page=1&limit=50',
    'GET /orders?begin=2026-03-02&end=2026-03-31&page=1&limit=50',
    'GET /orders?begin=2026-03-30&end=2026-04-20&page=1&limit=50',
  ])
})
