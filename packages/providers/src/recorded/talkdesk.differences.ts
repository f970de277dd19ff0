import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'read-identity-activities-has-next':
      'The recorded link is on a host of the documentation, where no credential is sent.',
  },
}
