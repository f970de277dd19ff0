import { type Differences, excludesBound } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Aircall ends a list after 10,000 calls. So Mortise reads lists of limited periods, one after the other.',
    cases: ['read-calls-last-page'],
    expect: { done: false },
  },
  { why: excludesBound, cases: ['read-calls-incremental-last-page'], secondsEarlier: 1 },
  { why: 'Aircall documents no update of a team.', cases: ['update-teams'], fails: true },
  { why: 'Aircall documents no creation of a number.', cases: ['create-numbers'], fails: true },
  { why: 'Aircall documents no creation of a call. Calls start in its phone.', cases: ['create-calls'], fails: true },
]
