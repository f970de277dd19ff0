import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Breezy lists pipelines as an object with a key for each pipeline. Any other object would look like such a list, so Mortise does not read pipelines.',
    cases: ['read-pipelines-last-page'],
    fails: true,
  },
]
