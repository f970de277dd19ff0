import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  unknownObjects: { arsenal: 'conversations' },
  unknownInWrites: { arsenal: 'conversations' },
}
