import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Gong filters calls by when they began, and lists a call up to a day later. So a window begins one day earlier, and misses no call.',
    cases: ['read-calls-incremental-last-page'],
    secondsEarlier: 86400,
  },
  {
    why: 'Mortise also reads the flows of each user. The recording reads those of the company only.',
    cases: ['read-flows-last-page-4'],
    expect: { rows: 2, match: 'subset' },
  },
  {
    why: 'Gong sends a call without the name of an event. The file calls the event `call.created`, and its object `calls`, as in reads.',
    cases: ['webhookEvent-call-created'],
    names: { Call: 'calls', callCreated: 'call.created' },
  },
  {
    why: 'Each account has its own URL for events, which identifies the account. Mortise does not read it from the event.',
    cases: ['webhookEvent-call-created'],
    leftOut: ['events.0.workspace'],
  },
]
