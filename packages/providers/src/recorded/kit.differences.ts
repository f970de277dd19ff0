import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // The customer's own fields are fields of the subscriber here.
  leftOut: { 'metadata-broadcasts-custom-fields-forms-subscribers-tags-': ['subscribers.fields.fields'] },
}
