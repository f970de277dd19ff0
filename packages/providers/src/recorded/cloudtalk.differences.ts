import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'CloudTalk does not document the time zone of its filter. So the window begins one day earlier and has no end, and misses no call.',
    cases: ['read-calls-incremental-last-page'],
    otherwise: [
      '"date_from":"2023-11-14 00:00:00","date_to":"2023-11-15 00:00:00"',
      '"date_from":"2023-11-13 00:00:00"',
    ],
  },
  {
    why: 'CloudTalk documents no filter by date for activities. Mortise reads all of them.',
    cases: ['read-activity-incremental-last-page'],
    otherwise: ['"date_from":"2023-11-14 00:00:00","date_to":"2023-11-15 00:00:00"', ''],
  },
  {
    why: 'CloudTalk documents a new record in `data`, as in the case `create-contacts-2`. The recorded response has it elsewhere, so Mortise returns no id.',
    cases: ['create-contacts', 'create-tags'],
    leftOut: ['recordId', 'data'],
  },
]
