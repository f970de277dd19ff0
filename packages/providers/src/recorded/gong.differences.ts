import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // A call is listed when it was processed, hours after it began.
  secondsEarlier: { 'read-calls-incremental-last-page': 86_400 },
  // Flows of users, next to those of their company.
  readHere: { 'read-flows-last-page-4': ['9000000000000001'] },
  eventNames: { callCreated: 'call.created' },
  eventObjects: { Call: 'calls' },
  accountByUrl: true,
}
