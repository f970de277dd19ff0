import { type Differences, eventObjects, unknownObject } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'A search of HubSpot finds a record some moments after its change. So a window begins one minute earlier, and misses no change.',
    cases: ['read-contacts-incremental-has-next', 'read-contacts-incremental-has-next-3'],
    secondsEarlier: 60,
  },
  { why: unknownObject, cases: ['search-butterflies-error'], expect: { error: { class: 'unsupported_object' } } },
  {
    why: 'HubSpot documents the names of subscriptions, such as `object.creation`. Mortise takes no other name for a creation.',
    cases: ['webhookEvent-hubspot-object-type-id-is-mapped-to-human-readable-object-name'],
    expect: { events: [{ eventType: 'other', rawEvent: 'importantContacts.creation', object: 'contacts' }] },
  },
  {
    why: eventObjects,
    cases: [
      'webhookEvent-contact-creation-event',
      'webhookEvent-contact-property-change-event',
      'webhookEvent-contact-deletion-event',
    ],
    names: { contact: 'contacts' },
  },
]
