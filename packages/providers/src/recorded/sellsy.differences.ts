import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: "Mortise reads the customer's own fields as `custom_fields`, a list in each record. The search has them by number only.",
    cases: ['metadata-contacts'],
    leftOut: ['objects.contacts.fields.age', 'objects.contacts.fields.fruits', 'objects.contacts.fields.hobbies'],
  },
  {
    why: 'Sellsy names an offset on the last page, too. Mortise reads until a page is empty.',
    cases: ['read-contacts-following-page-incremental-last-page'],
    expect: { done: false },
  },
]
