import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The recorded response is an example from a description. Meta documents a response that is the id alone.',
    cases: ['create-phone-numbers'],
    leftOut: ['recordId'],
  },
]
