import { type Differences, shortPage } from './differences.testkit.ts'

export const differences: Differences = [
  { why: shortPage, cases: ['read-contacts-incremental-has-next'], expect: { done: true, nextPage: null } },
]
