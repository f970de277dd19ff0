import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'update-teams': 'Aircall documents no update of a team.',
    'create-numbers': 'Aircall documents no creation of a number.',
    'create-calls': 'Aircall documents no creation of a call: a dialer starts it.',
  },
  // The provider excludes the second in which the window begins.
  secondsEarlier: { 'read-calls-incremental-last-page': 1 },
}
