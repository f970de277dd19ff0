import { expect } from 'vitest'
import { itReads } from './testing/list-cases.testkit.ts'

/** Objects that no other test reads: which requests find them, and what their ids are. */

const recent = '2026-03-01T08:00:00Z'
const old = '2026-01-01T08:00:00Z'
const shop = { metadata: { workspace: 'acme' } }
const zendesk = { metadata: { workspace: 'acme' }, isFull: true }
const nodes = (name: string, ...records: object[]) => ({
  [name]: { nodes: records, pageInfo: { hasNextPage: false, endCursor: null } },
})
const graphql = (data: object) => ({ '/graphql.json': { data } })
const body = (part: string) => expect.stringContaining(part) as string
const lastPage = { meta: { has_more: false } }

const ofOrders = (object: string) => ({
  ...shop,
  object,
  answers: graphql(nodes('orders', { id: 'o1', [object]: [{ id: 'a1' }, { id: 'a2' }] }, { id: 'o2', [object]: [] })),
  requests: [body(`${object} {`)],
  ids: ['a1', 'a2'],
  fields: ['orderId'],
  first: { orderid: 'o1' },
})
const metafieldsOf = (object: string, owners: string) => ({
  ...shop,
  object,
  answers: graphql({
    ...nodes(owners, { id: 'w1' }),
    node: nodes('metafields', { id: 'm1', updatedAt: recent }, { id: 'm0', updatedAt: old }),
  }),
  requests: [body(`${owners}(first`), body('"owner":"w1"')],
  ids: ['m1'],
  fields: ['ownerId'],
  first: { ownerid: 'w1' },
})
const helpCenter = (object: string, name: string) => ({
  ...zendesk,
  object,
  answers: { [`/api/v2/help_center/${name}`]: { [name]: [{ id: 1 }], ...lastPage } },
  requests: [`GET /api/v2/help_center/${name}?page[size]=100`],
  ids: ['1'],
})

itReads({
  'capsule entries': {
    object: 'entries',
    answers: {
      '/api/v2/entries': {
        entries: [
          { id: 1, type: 'note', updatedAt: recent },
          { id: 2, updatedAt: old },
        ],
      },
    },
    requests: ['GET /api/v2/entries?perPage=100&embed=party,opportunity,kase,creator,activityType,participants'],
    ids: ['1'],
    fields: ['type'],
    first: { type: 'note' },
  },
  'capsule entries of a full read': {
    object: 'entries',
    answers: {
      '/api/v2/entries': {
        entries: [
          { id: 1, updatedAt: recent },
          { id: 2, updatedAt: old },
        ],
      },
    },
    requests: ['GET /api/v2/entries?perPage=100&embed=party,opportunity,kase,creator,activityType,participants'],
    ids: ['1', '2'],
    isFull: true,
  },
  'front comments of a full read': {
    object: 'comments',
    answers: {
      '/conversations': { _results: [{ id: 'cnv_1' }], _pagination: { next: null } },
      '/comments': { _results: [{ id: 'com_1' }], _pagination: { next: null } },
    },
    requests: ['GET /conversations?limit=100', 'GET /conversations/cnv_1/comments?limit=100'],
    ids: ['com_1'],
    isFull: true,
  },
  'front comments of a window': {
    object: 'comments',
    answers: {
      '/events': { _results: [{ id: 'evt_1', target: { data: { id: 'com_1' } } }], _pagination: { next: null } },
      '/comments/com_1': { id: 'com_1', body: 'new' },
    },
    requests: [
      'GET /events?limit=15&q[after]=1772323199&q[before]=1772409600&q[types][]=comment',
      'GET /comments/com_1',
    ],
    ids: ['com_1'],
    fields: ['body'],
    first: { body: 'new' },
  },
  'hubspot conversation-inboxes': {
    object: 'conversation-inboxes',
    module: 'crm',
    isFull: true,
    answers: { '/inboxes': { results: [{ id: '3' }] } },
    requests: ['GET /conversations/v3/conversations/inboxes?limit=100'],
    ids: ['3'],
  },
  'hubspot conversation-threads': {
    object: 'conversation-threads',
    module: 'crm',
    answers: { '/threads': { results: [{ id: '7' }] } },
    requests: [
      'GET /conversations/v3/conversations/threads?limit=500&sort=latestMessageTimestamp&latestMessageTimestampAfter=2026-03-01T00:00:00.000Z',
    ],
    ids: ['7'],
  },
  'shopify transactions': ofOrders('transactions'),
  'shopify fulfillments': ofOrders('fulfillments'),
  'shopify discountNodes': {
    ...shop,
    object: 'discountNodes',
    answers: graphql(
      nodes(
        'discountNodes',
        { id: 'd1', discount: { title: 'Spring', updatedAt: recent } },
        { id: 'd0', discount: { title: 'Winter', updatedAt: old } },
      ),
    ),
    requests: [body('discountNodes(first')],
    ids: ['d1'],
    fields: ['title'],
    first: { title: 'Spring' },
  },
  'shopify customerMetafields': metafieldsOf('customerMetafields', 'customers'),
  'shopify orderMetafields': metafieldsOf('orderMetafields', 'orders'),
  'slack team': {
    object: 'team',
    isFull: true,
    answers: { '/team.info': { ok: true, team: { id: 'T1', name: 'Acme' } } },
    requests: ['GET /api/team.info'],
    ids: ['T1'],
    fields: ['name'],
    first: { name: 'Acme' },
  },
  'zendeskSupport articles': helpCenter('articles', 'articles'),
  'zendeskSupport help_center/categories': helpCenter('help_center/categories', 'categories'),
  'zendeskSupport help_center/sections': helpCenter('help_center/sections', 'sections'),
  'zendeskSupport user_segments': helpCenter('user_segments', 'user_segments'),
})
