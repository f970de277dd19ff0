import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: "Mortise lists the customer's own fields as fields of the subscriber, not as one field `fields`.",
    cases: ['metadata-broadcasts-custom-fields-forms-subscribers-tags-'],
    leftOut: ['objects.subscribers.fields.fields'],
  },
]
