import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import type { DestinationRow } from './store.ts'

export interface DestinationSecrets {
  webhookSigningKey: string
}

/** Additional authenticated data of the secrets of a destination; replaced secrets keep theirs. */
function secretsAt(destination: { project_id: string; id: string }) {
  return { table: 'destinations', project: destination.project_id, row: destination.id, column: 'sealed_secrets' }
}

export function sealSecrets(
  keyring: Keyring,
  destination: { project_id: string; id: string },
  secrets: DestinationSecrets,
): string {
  return createEnvelope(keyring).seal(JSON.stringify(secrets), secretsAt(destination))
}

export function openSecrets(
  keyring: Keyring,
  destination: Pick<DestinationRow, 'project_id' | 'id'>,
  sealed: string,
): DestinationSecrets {
  return JSON.parse(createEnvelope(keyring).open(sealed, secretsAt(destination)).toString())
}
