import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Mortise sends a deletion without a body. The recording sends `null`.',
    cases: ['delete-custom-tags'],
    otherwise: [',"body":{"json":null}', ''],
  },
  {
    why: 'Mortise shows the sentence of the provider, which says what is wrong. It leaves out the name of the status next to it.',
    cases: ['delete-custom-tags-error'],
    leftOut: ['error.messageContains.0'],
  },
]
