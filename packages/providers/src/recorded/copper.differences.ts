import { type Differences, shortPage } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: shortPage,
    cases: ['read-projects-incremental-has-next', 'read-companies-has-next'],
    expect: { done: true, nextPage: null },
  },
]
