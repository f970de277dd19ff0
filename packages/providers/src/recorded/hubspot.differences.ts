import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  unknownObjects: { butterflies: undefined },
  hasAssociations: true,
  eventObjects: { contact: 'contacts' },
  // A search finds records some moments after their change.
  secondsEarlier: { 'read-contacts-incremental-has-next': 60, 'read-contacts-incremental-has-next-3': 60 },
  path: ['/account-info/2026-03/', '/account-info/v3/'],
  notRun: {
    'webhookEvent-hubspot-object-type-id-is-mapped-to-human-readable-object-name':
      'Events of all objects have names of the provider here, such as object.creation.',
  },
}
