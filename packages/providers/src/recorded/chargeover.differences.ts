import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  unknownObjects: { butterflies: undefined },
  // As in the paths of ChargeOver.
  calledHere: { customers: 'customer' },
}
