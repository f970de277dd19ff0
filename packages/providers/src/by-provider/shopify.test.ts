import { expect, it } from 'vitest'
import {
  createConnector,
  lackingScopes,
  loadCatalogue,
  openSubscriber,
  parseEvents,
  scopeRulesOf,
  scopesOfObject,
} from '../index.ts'
import { plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'

/** What the recorded answers of Shopify do not show. */

const entry = (await loadCatalogue({ cacheDir: testCache })).find('shopify')

/** A clock that stands still: units are restored with time. */
const now = () => Date.UTC(2026, 0, 1)

async function connected(body: unknown) {
  if (entry === undefined) throw new Error('no provider shopify')
  const server = await startServer(() => ({ body }))
  const credential = { scheme: 'oauth2', accessToken: 'token-of-the-test' } as const
  const http = plainHttp(fetch, { from: 'https://shop.myshopify.com', to: server.origin })
  const connection = { metadata: { workspace: 'shop' }, credential }
  const connector = createConnector(entry, connection, http, { now })
  const subscriber = openSubscriber(entry, connection, http, { now })
  const asked = () =>
    JSON.parse(server.seen.at(-1)?.body ?? '') as { query: string; variables: Record<string, unknown> }
  return {
    connector,
    subscriber,
    asked,
    seen: () => server.seen,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const nodes = (object: string, ...records: object[]) => ({
  data: { [object]: { nodes: records, pageInfo: { hasNextPage: false, endCursor: null } } },
})

it('a window, filters and a search are conditions of its search syntax', async () => {
  await using at = await connected(nodes('products', { id: 'gid://shopify/Product/1' }))
  const filters = [{ field: 'productType', operator: 'eq', value: 'Big "hats"' } as const]
  const since = new Date('2026-01-01T00:00:00Z')
  await at.connector.readPage({ object: 'products', fields: ['id', 'publishedAt', 'isFixed'], since, filters })
  expect(at.asked().variables['query']).toBe(`updated_at:>='2026-01-01T00:00:00Z' AND product_type:"Big \\"hats\\""`)
  // A plain field that the request does not name anyway is added.
  expect(at.asked().query).toMatch(/\n {6}isFixed\n {4}\}/)
  await at.connector.search({ object: 'products', fields: ['id'], filters })
  expect(at.asked().variables['query']).toBe('product_type:"Big \\"hats\\""')
})

it('what may not be seen is null beside an error; where nothing is left, or nothing was searched, it fails', async () => {
  const errors = [{ message: 'Access denied for email field.', extensions: { code: 'ACCESS_DENIED' } }]
  const read = { object: 'customers', fields: ['email'] }
  await using part = await connected({ ...nodes('customers', { id: 'c', email: null }), errors })
  expect((await part.connector.readPage(read)).records).toHaveLength(1)
  await using none = await connected({ data: null, errors })
  await expect(none.connector.readPage(read)).rejects.toMatchObject({ class: 'forbidden' })
  const busy = [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }]
  await using throttled = await connected({ errors: busy })
  await expect(throttled.connector.readPage(read)).rejects.toMatchObject({ class: 'rate_limited' })
  const extensions = { search: [{ path: ['customers'], warnings: [{ field: 'no_such', code: 'invalid_field' }] }] }
  await using unsearched = await connected({ ...nodes('customers', { id: 'c' }), extensions })
  const filters = [{ field: 'noSuch', operator: 'eq', value: 1 } as const]
  await expect(unsearched.connector.search({ ...read, filters })).rejects.toMatchObject({ class: 'bad_request' })
  await using refused = await connected({ data: { customerUpdate: null }, errors })
  const write = refused.connector.write({ object: 'customers', type: 'update', id: 'c', record: { email: 'a@b.c' } })
  await expect(write).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'Access denied for email field.' })
})

it('a record is read by its id with the fields of its list', async () => {
  await using at = await connected({ data: { node: { id: 'gid://shopify/Order/1', name: '#1' } } })
  const order = await at.connector.fetchRecord('orders', 'gid://shopify/Order/1', ['name'])
  expect(order).toMatchObject({ id: 'gid://shopify/Order/1', fields: { name: '#1' } })
  expect(at.asked().query).toContain('... on Order {\n      id\n      name')
})

it('a record that may not be seen is not one that does not exist', async () => {
  const errors = [{ message: 'Access denied.', path: ['node'], extensions: { code: 'ACCESS_DENIED' } }]
  const asking = { object: 'fulfillments', id: 'gid://shopify/Fulfillment/1' }
  await using denied = await connected({ data: { node: null }, errors })
  await expect(denied.connector.fetchRecord(asking.object, asking.id, ['name'])).rejects.toMatchObject({
    class: 'forbidden',
  })
  await using missing = await connected({ data: { node: null } })
  expect(await missing.connector.fetchRecord(asking.object, asking.id, ['name'])).toBeUndefined()
})

// As shopify.dev/docs/api/webhooks says: with a scope to write, Shopify does not report that to read.
it.each([
  ['fulfillments', ['read_orders', 'write_fulfillments'], []],
  ['fulfillments', ['write_fulfillments'], [['read_orders']]],
  ['fulfillmentOrders', ['write_third_party_fulfillment_orders'], []],
  [
    'fulfillmentOrders',
    ['read_marketplace_fulfillment_orders'],
    [
      [
        'read_merchant_managed_fulfillment_orders',
        'read_assigned_fulfillment_orders',
        'read_third_party_fulfillment_orders',
      ],
    ],
  ],
])('subscriptions to %s with the scopes %o lack %o', (object, scopes, lacking) => {
  if (entry === undefined) throw new Error('no provider shopify')
  const needs = scopesOfObject(entry, undefined, object).subscribe ?? []
  expect(lackingScopes(scopeRulesOf(entry) ?? {}, needs, scopes)).toEqual(lacking)
})

it.each([
  ['Webhook subscription does not exist', 'gone'],
  ['Internal failure', 'bad_request'],
])('a webhook whose removal answers "%s" is %s', async (message, outcome) => {
  await using at = await connected({
    data: { webhookSubscriptionDelete: { deletedWebhookSubscriptionId: null, userErrors: [{ message }] } },
  })
  const ours = { registration: 'ours', url: 'https://m.test/in', secret: 's', key: 'k', object: 'orders' }
  const plan = { ...ours, event: 'orders/create', events: ['orders/create'], id: '1' }
  const removed = at.subscriber.unregister(plan).then(
    () => 'gone',
    (error: { class?: string }) => error.class,
  )
  expect(await removed).toBe(outcome)
})

it.each(['products', 'collections'])('deletions of %s are those of a year', async (object) => {
  const read = { object, fields: ['id'], until: new Date(now()), deletions: true }
  const missed = async (since: string) => {
    await using list = await connected({
      data: { [object]: { nodes: [], pageInfo: {} }, events: { nodes: [], pageInfo: {} } },
    })
    const first = await list.connector.readPage({ ...read, since: new Date(since) })
    const page = first.nextPage
    const last = page === undefined ? first : await list.connector.readPage({ ...read, since: new Date(since), page })
    return first.missedDeletions ?? last.missedDeletions
  }
  expect(await missed('2025-06-01T00:00:00Z')).toBeUndefined()
  expect(await missed('2024-06-01T00:00:00Z')).toContain('365 days')
})

it('a request that costs more than is left has the time until it is restored', async () => {
  // As in shopify.dev/docs/api/usage/limits.
  const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 52, restoreRate: 100 }
  const extensions = { cost: { requestedQueryCost: 352, actualQueryCost: null, throttleStatus } }
  const errors = [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }]
  await using at = await connected({ errors, extensions })
  const read = at.connector.readPage({ object: 'customers', fields: ['email'] })
  await expect(read).rejects.toMatchObject({ class: 'rate_limited', retryAfterMs: 3_000, providerMessage: 'Throttled' })
})

it.each([
  ['locations', ', includeInactive: true, includeLegacy: true)'],
  ['fulfillmentOrders', ', includeClosed: true)'],
  ['products', 'query: $query)'],
])('%s of every state are in the list', async (object, argumentsEnd) => {
  await using at = await connected(nodes(object, { id: 'gid://shopify/Any/1' }))
  await at.connector.readPage({ object, fields: ['id'] })
  expect(at.asked().query).toContain(argumentsEnd)
})

it('levels of every location are read, and inactive levels', async () => {
  const page = { pageInfo: { hasNextPage: false, endCursor: null } }
  await using at = await connected({
    data: {
      locations: { nodes: [{ id: 'l1' }], ...page },
      location: { inventoryLevels: { nodes: [{ id: 'i1' }], ...page } },
    },
  })
  await at.connector.readPage({ object: 'inventoryLevels', fields: ['id'] })
  const queries = at.seen().map(({ body }) => (JSON.parse(body) as { query: string }).query)
  expect(queries[0]).toContain('includeInactive: true, includeLegacy: true)')
  expect(queries[1]).toContain('query: $query, includeInactive: true)')
})

it('a webhook is registered and removed by GraphQL, with the topic as it is named there', async () => {
  const registered = { webhookSubscription: { legacyResourceId: '892403750' }, userErrors: [] }
  await using at = await connected({ data: { webhookSubscriptionCreate: registered } })
  const ours = { registration: 'ours', url: 'https://m.test/in', secret: 's', key: 'k', object: 'customers' }
  const plan = { ...ours, event: 'customer.tags_added', events: ['customer.tags_added'] }
  expect(await at.subscriber.register(plan)).toEqual({ id: '892403750' })
  expect(at.asked()).toMatchObject({
    query: expect.stringContaining('webhookSubscriptionCreate(') as string,
    variables: { topic: 'CUSTOMER_TAGS_ADDED', uri: 'https://m.test/in' },
  })
  await at.subscriber.unregister({ ...plan, id: '892403750' })
  expect(at.asked().variables).toEqual({ id: 'gid://shopify/WebhookSubscription/892403750' })
})

it('why a webhook was refused is in the error', async () => {
  const userErrors = [{ message: 'Address for this topic has already been taken' }]
  await using at = await connected({ data: { webhookSubscriptionCreate: { webhookSubscription: null, userErrors } } })
  const ours = { registration: 'ours', url: 'https://m.test/in', secret: 's', key: 'k', object: 'orders' }
  const made = at.subscriber.register({ ...ours, event: 'orders/create', events: ['orders/create'] })
  await expect(made).rejects.toMatchObject({ class: 'bad_request', providerMessage: userErrors[0]?.message })
})

// As shopify.dev/docs/api/webhooks shows them.
it.each([
  ['customer.tags_added', { customerId: 'gid://shopify/Customer/1', tags: ['a'] }, 'gid://shopify/Customer/1'],
  ['customers_marketing_consent/update', { customer_id: 70, phone: null }, 'gid://shopify/Customer/70'],
  ['customers/update', { id: 70 }, 'gid://shopify/Customer/70'],
  ['refunds/create', { id: 89, order_id: 82 }, 'gid://shopify/Refund/89'],
  ['order_transactions/create', { id: 12, order_id: 82 }, 'gid://shopify/OrderTransaction/12'],
  ['fulfillments/update', { id: 123456, order_id: 82 }, 'gid://shopify/Fulfillment/123456'],
  [
    'inventory_levels/update',
    { inventory_item_id: 27, admin_graphql_api_id: 'gid://shopify/InventoryLevel/24?inventory_item_id=27' },
    'gid://shopify/InventoryLevel/24?inventory_item_id=27',
  ],
  [
    'fulfillment_orders/moved',
    {
      original_fulfillment_order: { id: 'gid://shopify/FulfillmentOrder/1' },
      moved_fulfillment_order: { id: 'gid://shopify/FulfillmentOrder/2' },
    },
    'gid://shopify/FulfillmentOrder/2',
  ],
])('%s names the record as reads do', (name, payload, id) => {
  const { webhooks } = entry?.file ?? {}
  if (webhooks === undefined) throw new Error('no webhooks')
  expect(parseEvents(webhooks, payload, { 'x-shopify-topic': name })).toMatchObject([{ name, id }])
})
