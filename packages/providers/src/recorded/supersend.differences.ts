import type { Differences } from './differences.testkit.ts'

const version2 = 'Version 1 ends on December 31, 2026: super-send.test.ts shows version 2.'

const answered = 'docs.supersend.io shows a new sender profile as `senderProfile`.'

export const differences: Differences = {
  notRun: {
    'metadata-teams-senders-contact-all-sender-profiles-labels-static': version2,
    'read-teams-last-page': version2,
    'read-senders-has-next': version2,
    'read-senders-has-next-2': version2,
    'read-senders-following-page-last-page': version2,
    'update-senders': version2,
    'create-campaigns': version2,
    'update-campaigns': version2,
    'create-sender-profiles': answered,
  },
}
