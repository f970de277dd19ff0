import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  unknownObjects: { arsenal: undefined },
  // Apollo documents its paths below /api/v1.
  otherwise: { 'read-sequences-last-page': ['/v1/emailer_campaigns', '/api/v1/emailer_campaigns'] },
  calledHere: { Deals: 'deals' },
  leftOut: { 'metadata-deals': ['deals.displayName'] },
}
