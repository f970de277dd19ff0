import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // Shopify supports a version for twelve months, and 2025-10 since 2025-10-01.
  path: ['/admin/api/2025-10/', '/admin/api/2026-07/'],
}
