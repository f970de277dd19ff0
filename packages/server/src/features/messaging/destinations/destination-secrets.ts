import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import type { DestinationRow } from './store.ts'

export interface DestinationSecrets {
  webhookSigningKey: string
}

/** Additional authenticated data of the secrets of a destination; replaced secrets keep theirs. */
function secretsAt(destination: { project_id: string; id: string }) {
  return { table: 'destinations', project: destination.project_id, row: destination.id, column: 'encrypted_secrets' }
}

export function encryptSecrets(
  keyring: Keyring,
  destination: { project_id: string; id: string },
  secrets: DestinationSecrets,
): string {
  return createEnvelope(keyring).encrypt(JSON.stringify(secrets), secretsAt(destination))
}

export function openSecrets(
  keyring: Keyring,
  destination: Pick<DestinationRow, 'project_id' | 'id'>,
  encrypted: string,
): DestinationSecrets {
  return JSON.parse(createEnvelope(keyring).open(encrypted, secretsAt(destination)).toString())
}
