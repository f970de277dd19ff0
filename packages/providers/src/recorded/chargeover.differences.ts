import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'metadata-butterflies': 'ChargeOver documents no such object: it is refused before a request.',
  },
  // As in the paths of ChargeOver.
  calledHere: { customers: 'customer' },
}
