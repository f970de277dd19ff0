import type { Differences } from './differences.testkit.ts'

const received = 'The next offset counts the records received here, and the requested ones in the recording.'

const answered = 'docs.supersend.io shows a new sender profile as `senderProfile`.'

export const differences: Differences = {
  notRun: {
    'read-senders-has-next': received,
    'read-senders-has-next-2': received,
    'create-sender-profiles': answered,
  },
}
