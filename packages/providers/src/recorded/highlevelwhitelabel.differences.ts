import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  endsAtShortPage: ['read-products-collections-following-page-has-next'],
}
