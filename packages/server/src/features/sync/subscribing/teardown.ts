import type { RegistrationRequest } from '@mortise/providers'
import { createEnvelope, type EncryptedAt, type Keyring } from '../../../kernel/encryption/index.ts'
import type { DetachedConnection } from '../../accounts/connections/index.ts'

/**
 * What is needed to end registrations and jobs at the provider after their installation and connection are deleted. It
 * contains a credential: stored encrypted, and only for a short time.
 */
export interface Teardown {
  connection: DetachedConnection
  module?: string
  registrations: (RegistrationRequest & { id: string })[]
  /** Jobs of the provider that reads were waiting for. */
  jobs?: { objectName: string; id: string }[]
}

function encryptedAt(projectId: string, id: string): EncryptedAt {
  return { table: 'teardowns', project: projectId, row: id, column: 'encrypted' }
}

export function encryptTeardown(
  { keyring }: { keyring: Keyring },
  projectId: string,
  id: string,
  teardown: Teardown,
): string {
  return createEnvelope(keyring).encrypt(JSON.stringify(teardown), encryptedAt(projectId, id))
}

/** @throws UnknownEncryptionKey, DecryptionFailed */
export function openTeardown(
  { keyring }: { keyring: Keyring },
  projectId: string,
  { id, encrypted }: { id: string; encrypted: string },
): Teardown {
  return JSON.parse(createEnvelope(keyring).open(encrypted, encryptedAt(projectId, id)).toString()) as Teardown
}
