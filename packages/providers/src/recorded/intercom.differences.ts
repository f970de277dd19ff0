import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  unknownInWrites: { signals: 'contacts' },
  // The provider's `>` excludes the second in which the window begins.
  secondsEarlier: { 'read-conversations-incremental-has-next': 1 },
}
