import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The filter may leave out the second in which the window begins. So Mortise begins one second earlier, and misses no change.',
    cases: ['read-events-incremental-has-next'],
    secondsEarlier: 1,
  },
  {
    why: 'Livestorm documents at most 50 records on a page.',
    cases: [
      'read-events-incremental-has-next',
      'read-events-has-next',
      'read-people-last-page',
      'read-people-attributes-last-page',
    ],
    otherwise: ['"page[size]":"100"', '"page[size]":"50"'],
  },
]
