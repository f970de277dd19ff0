import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'metadata-conversations': 'The recording samples one list; here private channels are another. See slack.test.ts.',
  },
  anotherListFollows: ['read-conversations-following-page-last-page'],
}
