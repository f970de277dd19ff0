import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from './testing/http-server.testkit.ts'
import { asked, openProvider } from './testing/open-provider.testkit.ts'

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
