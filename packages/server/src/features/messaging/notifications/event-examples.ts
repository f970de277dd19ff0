import { type TProperties, Type } from 'typebox'

/** Values that examples show, by the name of their field. */
const values: Record<string, unknown> = {
  projectId: '019a8f00-0000-7000-8000-000000000001',
  provider: 'hubspot',
  integrationId: '019a8f00-0000-7000-8000-000000000002',
  integrationName: 'crm',
  installationId: '019a8f00-0000-7000-8000-000000000003',
  connectionId: '019a8f00-0000-7000-8000-000000000004',
  destinationId: '019a8f00-0000-7000-8000-000000000005',
  destinationName: 'crm-events',
  url: 'https://example.com/webhooks',
  deadLetterCount: 12,
  groupRef: 'acme',
  groupName: 'Acme',
  consumerRef: 'u1',
  consumerName: 'Ada',
  config: {
    provider: 'hubspot',
    read: { objects: { contacts: { objectName: 'contacts', selectedFields: { phone: true } } } },
  },
  lastConfig: { provider: 'hubspot', read: { objects: { contacts: { objectName: 'contacts', selectedFields: {} } } } },
  objectName: 'contacts',
  fromTimestamp: '2026-01-01T00:00:00.000Z',
  untilTimestamp: '2026-01-31T12:00:00.000Z',
  approvalId: '019a8f00-0000-7000-8000-000000000006',
  toolName: 'update_contacts',
  action: 'update',
  expireTime: '2026-02-01T12:00:00.000Z',
  decision: 'approved',
  decider: 'user',
  success: false,
  successfulRecordIds: ['41'],
  errors: ['The provider refused the credential.'],
  error: 'The provider refused the credential.',
}

/**
 * An example of an object with these properties. The URLs that stand in for a large config are left out. In one event,
 * `error` is a list as `errors` is.
 */
export function example(properties: TProperties): Record<string, unknown> {
  const named = Object.entries(properties).map(([field, schema]) => [
    field,
    values[field === 'error' && Type.IsArray(schema) ? 'errors' : field],
  ])
  return Object.fromEntries(named.filter(([, value]) => value !== undefined))
}
