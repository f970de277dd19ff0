import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Version 1 of this part of SuperSend ends on December 31, 2026. Mortise uses version 2.',
    cases: [
      'metadata-teams-senders-contact-all-sender-profiles-labels-static',
      'read-teams-last-page',
      'read-senders-has-next',
      'read-senders-following-page-last-page',
      'read-senders-has-next-2',
      'update-senders',
      'create-campaigns',
      'update-campaigns',
    ],
    fails: true,
  },
  {
    why: 'SuperSend documents a new sender profile as `senderProfile`. The recorded response has another name, so Mortise returns no id.',
    cases: ['create-sender-profiles'],
    leftOut: ['recordId', 'data'],
  },
]
