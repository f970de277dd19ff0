import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  anotherListFollows: ['read-deals-last-page', 'read-deals-last-page-2', 'read-leads-last-page'],
  unknownInWrites: { arsenal: 'activities' },
}
