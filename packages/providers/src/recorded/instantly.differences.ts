import { type Differences, shortPage } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Mortise shows the sentence of the provider, which says what is wrong. It leaves out the name of the status next to it.',
    cases: ['delete-tags-error', 'read-campaigns-error', 'create-tags-error'],
    leftOut: ['error.messageContains.0'],
  },
  { why: shortPage, cases: ['read-campaigns-has-next', 'read-tags-has-next'], expect: { done: true, nextPage: null } },
]
