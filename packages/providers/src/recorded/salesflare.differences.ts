import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  endsAtShortPage: ['read-contacts-incremental-has-next'],
}
