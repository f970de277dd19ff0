import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'update-contacts': 'An update is a list of operations, one for each field, which a file cannot compose.',
    'update-contacts-2': 'An update is a list of operations, one for each field, which a file cannot compose.',
  },
  unknownObjects: { messages: 'contacts' },
  endsAtShortPage: ['read-campaigns-has-next', 'read-contacts-has-next'],
  // The ids of the customer's own fields are numbers; the first record shows them.
  requestedBefore: {
    'create-contacts': {
      path: '/v4_6_release/apis/3.0/company/contacts',
      body: [{ id: 1, customFields: [{ id: 83, caption: 'Hobby', type: 'Text' }] }],
    },
  },
}
