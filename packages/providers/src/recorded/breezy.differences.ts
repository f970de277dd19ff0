import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Breezy lists pipelines and pools together. Mortise reads both. The recording has the pipeline alone.',
    cases: ['read-pipelines-last-page'],
    expect: { rows: 2 },
  },
]
