import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Breezy lists pipelines as an object with a key for each pipeline. A provider file reads lists only.',
    cases: ['read-pipelines-last-page'],
    fails: true,
  },
]
