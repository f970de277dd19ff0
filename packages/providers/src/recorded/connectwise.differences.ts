import type { Differences } from './differences.testkit.ts'

const noWebhooks =
  'The key of the signature is at a URL in the event, which the format cannot use, so nothing is subscribed to.'

export const differences: Differences = {
  notRun: {
    'subscribe-contacts-project-tickets': noWebhooks,
    'subscribe-contacts-project-tickets-2': noWebhooks,
    'subscribe-contacts-project-tickets-3': noWebhooks,
    'unsubscribe-connectwise-error': noWebhooks,
    'unsubscribe-connectwise': noWebhooks,
    'updateSubscription-project-tickets': noWebhooks,
    'updateSubscription-contacts-project-tickets': noWebhooks,
    'updateSubscription-contacts-project-tickets-activities': noWebhooks,
    'webhookEvent-created-event': noWebhooks,
    'webhookEvent-updated-event': noWebhooks,
    'webhookEvent-deleted-event': noWebhooks,
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
