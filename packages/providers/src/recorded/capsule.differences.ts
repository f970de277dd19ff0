import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // The list of deleted records excludes the time in which the window begins.
  secondsEarlier: { 'read-parties-incremental-has-next': 1 },
}
