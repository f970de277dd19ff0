import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The recorded response to page 1 says that it is page 100. Mortise counts the pages itself.',
    cases: ['read-countries-has-next'],
    expect: { nextPage: { kind: 'token', value: '2' } },
  },
]
