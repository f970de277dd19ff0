import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'update-distribution': 'The recording has no path, and the documentation has other updates of a distribution.',
  },
  unknownObjects: { meme: 'team' },
  unknownInWrites: { arsenal: 'team' },
}
