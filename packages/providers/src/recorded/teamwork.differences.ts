import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // What changed after a time is listed; whether what changed at that time is, the documentation does not say.
  secondsEarlier: { 'read-companies-incremental-has-next': 1 },
}
