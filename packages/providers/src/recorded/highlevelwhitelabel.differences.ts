import { type Differences, shortPage } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: shortPage,
    cases: ['read-products-collections-following-page-has-next'],
    expect: { done: true, nextPage: null },
  },
]
