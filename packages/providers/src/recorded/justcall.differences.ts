import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // The time zone of the account is not known: a window begins a day earlier.
  secondsEarlier: { 'read-calls-incremental-has-next': 86_400 },
}
