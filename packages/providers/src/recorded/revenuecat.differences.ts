import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'RevenueCat documents the webhooks of a project under `/integrations/webhooks`.',
    cases: ['delete-integrations-webhooks', 'create-integrations-webhooks', 'update-integrations-webhooks'],
    otherwise: ['/integrations_webhooks', '/integrations/webhooks'],
  },
  {
    why: 'A product has only the time of its creation. Mortise reads all products, so that it misses no change.',
    cases: ['read-products-incremental-last-page'],
    expect: { rows: 2, done: false },
  },
  {
    why: 'RevenueCat documents only an update of the attributes of a customer (`/attributes`).',
    cases: ['update-customers'],
    otherwise: ['/customers/cust_abc456"', '/customers/cust_abc456/attributes"'],
  },
]
