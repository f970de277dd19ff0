import { type Differences, shortPage } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'A choice has the text that records have. A field of type BIT is `boolean`.',
    cases: ['metadata-contacts'],
    leftOut: [
      'objects.Contacts.fields.Interests__c.values',
      'objects.Contacts.fields.Preferred_Contact_Method__c.values',
      'objects.Contacts.fields.Newsletter_Subscription__c.valueType',
    ],
  },
  {
    why: 'Mortise requests the first page with `skip=0`. It is the same page.',
    cases: ['read-leads-has-next', 'read-leads-incremental-has-next'],
    otherwise: ['"queryAbsent":["skip"]', '"queryAbsent":[]'],
  },
  {
    why: shortPage,
    cases: [
      'read-leads-has-next',
      'read-leads-following-page-has-next',
      'read-leads-incremental-has-next',
      'read-contacts-has-next',
      'read-fruit-c-has-next',
    ],
    expect: { done: true, nextPage: null },
  },
  {
    why: 'Insightly lists what changed after the given second. So Mortise begins one second earlier, and misses no change.',
    cases: ['read-leads-incremental-has-next'],
    secondsEarlier: 1,
  },
]
