import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'metadata-workspace-meme': 'Chili Piper documents no object meme: it is refused before a request.',
    'update-distribution': 'The recording has no path, and the documentation has other updates of a distribution.',
  },
  unknownObjects: { meme: 'team' },
  unknownInWrites: { arsenal: 'team' },
}
