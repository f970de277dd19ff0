import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'read-contacts-following-page-incremental-last-page':
      'Sellsy names an offset on the last page, too: here an empty page ends the list.',
  },
  // Values of custom fields are read as `custom_fields`, a list of each record: the search has them by number only.
  leftOut: {
    'metadata-contacts': ['contacts.fields.age', 'contacts.fields.fruits', 'contacts.fields.hobbies'],
  },
}
