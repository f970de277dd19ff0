import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  unknownInWrites: { arsenal: 'activities' },
}
