import { type Differences, shortPage, unknownObject } from './differences.testkit.ts'

export const differences: Differences = [
  { why: unknownObject, cases: ['read-messages-error'], unknownObject: 'contacts' },
  {
    why: shortPage,
    cases: ['read-campaigns-has-next', 'read-contacts-has-next'],
    expect: { done: true, nextPage: null },
  },
  {
    why: "ConnectWise identifies the customer's own fields by number. Mortise reads one contact first, to find the number of a field.",
    cases: ['create-contacts'],
    alsoRequested: [
      {
        path: '/v4_6_release/apis/3.0/company/contacts',
        body: [{ id: 1, customFields: [{ id: 83, caption: 'Hobby', type: 'Text' }] }],
      },
    ],
  },
  {
    why: 'Mortise replaces each field in one operation. The recording empties the field first.',
    cases: ['update-contacts'],
    alsoRequested: [
      {
        path: '/v4_6_release/apis/3.0/company/contacts',
        body: [{ id: 1, customFields: [{ id: 83, caption: 'Hobby', type: 'Text' }] }],
      },
    ],
    otherwise: [
      '[{"op":"replace","path":"customFields","value":[]},{"op":"remove","path":"lastName"},{"op":"replace","path":"customFields","value":[{"id":83,"value":"Skiing"}]},{"op":"replace","path":"lastName","value":"Sims"}]',
      '[{"op":"replace","path":"lastName","value":"Sims"},{"op":"replace","path":"customFields","value":[{"id":83,"value":"Skiing"}]}]',
    ],
  },
  {
    why: 'The record of the recording is a list of JSON Patch operations. Mortise takes values of fields and makes the operations itself.',
    cases: ['update-contacts-2'],
    input: { data: { firstName: 'Sims', customField53: 'Software Developer', customField83: 'Hiking' } },
    otherwise: [
      '"path":"/firstName","value":"Sims"},{"op":"replace","path":"/customFields"',
      '"path":"firstName","value":"Sims"},{"op":"replace","path":"customFields"',
    ],
    alsoRequested: [
      {
        path: '/v4_6_release/apis/3.0/company/contacts',
        body: [
          {
            id: 1,
            customFields: [
              { id: 53, caption: 'Job', type: 'Text' },
              { id: 83, caption: 'Hobby', type: 'Text' },
            ],
          },
        ],
      },
    ],
  },
  {
    why: 'ConnectWise signs an event with a key from a URL in that event. A provider file cannot describe this, so Mortise registers no webhooks.',
    cases: [
      'subscribe-contacts-project-tickets',
      'subscribe-contacts-project-tickets-2',
      'subscribe-contacts-project-tickets-3',
      'unsubscribe-connectwise-error',
      'unsubscribe-connectwise',
      'updateSubscription-project-tickets',
      'updateSubscription-contacts-project-tickets',
      'updateSubscription-contacts-project-tickets-activities',
      'webhookEvent-created-event',
      'webhookEvent-updated-event',
      'webhookEvent-deleted-event',
    ],
    fails: true,
  },
]
