import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The recording does not say which custom fields the record has.',
    cases: ['read-contacts-last-page-2'],
    leftOut: ['records.0.raw.custom_fields'],
  },
  {
    why: 'A member has only the time of its creation. Mortise reads all members, so that it misses no change.',
    cases: ['read-members-incremental-last-page'],
    expect: { rows: 1 },
  },
  {
    why: 'A voicemail has only the time of its creation, in a local time. Mortise reads all voicemails, so that it misses none.',
    cases: ['read-voicemails-incremental-last-page'],
    expect: { rows: 1 },
  },
]
