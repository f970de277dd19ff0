import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'read-calls-last-page':
      'The recording lists all calls at a time: here each list has three days. See aircall.test.ts.',
    'update-teams': 'Aircall documents no update of a team.',
    'create-numbers': 'Aircall documents no creation of a number.',
    'create-calls': 'Aircall documents no creation of a call: a dialer starts it.',
  },
  // The provider excludes the second in which the window begins.
  secondsEarlier: { 'read-calls-incremental-last-page': 1 },
}
