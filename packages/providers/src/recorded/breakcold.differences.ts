import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The object is called `leads` in reads and writes. The recording calls it `lead` in writes.',
    cases: ['delete-lead', 'delete-lead-error', 'create-lead', 'update-lead'],
    names: { lead: 'leads' },
  },
]
