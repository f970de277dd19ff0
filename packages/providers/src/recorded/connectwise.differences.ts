import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'update-contacts': 'The recording reads the record first, to empty each field before it replaces it.',
    'update-contacts-2': 'The record of the recording is a list of operations, not the values of fields.',
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
