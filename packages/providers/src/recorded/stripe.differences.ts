import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  unknownObjects: { payment_intent: 'payment_intents' },
}
