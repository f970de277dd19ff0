import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // The provider's `after` excludes the second in which the window begins.
  secondsEarlier: { 'read-customers-incremental-last-page': 1, 'read-subscriptions-incremental-has-next': 1 },
}
