import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'read-pipelines-last-page': 'Breezy lists pipelines as an object with one key per pipeline, not as a list.',
  },
}
