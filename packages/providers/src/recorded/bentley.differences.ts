import type { Differences } from './differences.testkit.ts'

const ofUser = 'The recording reads the jobs of the user. Mortise reads those of each iTwin. See bentley.test.ts.'

export const differences: Differences = {
  notRun: {
    'read-contextcapture-jobs-incremental-last-page': ofUser,
    'read-contextcapture-jobs-incremental-last-page-2': ofUser,
  },
}
