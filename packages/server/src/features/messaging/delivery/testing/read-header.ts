import { newId } from '../../../../kernel/db/index.ts'

/** What messages of a read of contacts have before their records. */
export const readHeader = {
  action: 'read',
  projectId: 'p',
  provider: 'crm',
  groupRef: 'acme',
  groupName: 'Acme',
  consumerRef: 'u',
  consumerName: 'Ada',
  installationId: newId(),
  installationUpdateTime: '2026-01-31T12:00:00.000Z',
  objectName: 'contacts',
} as const
