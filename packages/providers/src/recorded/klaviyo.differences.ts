import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Klaviyo has retired the recorded revision. The file uses a supported one, `2026-07-15`.',
    cases: [
      'delete-tags',
      'read-profiles-has-next',
      'read-campaigns-incremental-last-page',
      'create-campaigns',
      'update-campaigns',
      'create-tags',
    ],
    otherwise: ['"2024-10-15"', '"2026-07-15"'],
  },
  {
    why: 'The recording reads one channel, and no archived campaigns. Mortise reads every channel, with archived campaigns.',
    cases: ['read-campaigns-incremental-last-page'],
    otherwise: [
      "greater-than(updated_at,2024-03-04T08:22:56Z),equals(messages.channel,'email')",
      "greater-or-equal(updated_at,2024-03-04T08:22:56Z),equals(messages.channel,'email'),equals(archived,false)",
    ],
    expect: { done: false },
  },
]
