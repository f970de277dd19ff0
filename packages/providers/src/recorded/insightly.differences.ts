import type { Differences } from './differences.testkit.ts'

const first = ['"queryAbsent":["skip"]', '"queryAbsent":[]'] as const

export const differences: Differences = {
  // The first page skips no records.
  otherwise: { 'read-leads-has-next': first, 'read-leads-incremental-has-next': first },
  // The provider lists what changed after that second.
  secondsEarlier: { 'read-leads-incremental-has-next': 1 },
  endsAtShortPage: [
    'read-leads-has-next',
    'read-leads-following-page-has-next',
    'read-leads-incremental-has-next',
    'read-contacts-has-next',
    'read-fruit-c-has-next',
  ],
  // A field has the text of its choice, as records show, and BIT is true or false.
  leftOut: {
    'metadata-contacts': [
      'Contacts.fields.Interests__c.values',
      'Contacts.fields.Preferred_Contact_Method__c.values',
      'Contacts.fields.Newsletter_Subscription__c.valueType',
    ],
  },
}
