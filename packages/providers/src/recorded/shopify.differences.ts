import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Shopify supports a version for one year. The file uses `2026-07`, which is newer than the recorded one.',
    cases: [
      'delete-customers',
      'delete-products',
      'metadata-products',
      'metadata-orders',
      'metadata-customers',
      'read-products-last-page',
      'read-products-has-next',
      'read-customers-last-page',
      'read-orders-last-page',
      'create-customers',
      'update-customers',
      'create-products',
      'update-products',
    ],
    otherwise: ['/admin/api/2025-10/', '/admin/api/2026-07/'],
  },
]
