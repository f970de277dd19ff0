import { createEnvelope, type Keyring } from '../../kernel/seal/index.ts'

function sealedAt(projectId: string, id: string) {
  return { table: 'provider_apps', project: projectId, row: id, column: 'sealed_secret' }
}

/** The client secret as it is stored. */
export function sealClientSecret(keyring: Keyring, projectId: string, id: string, secret: string): string {
  return createEnvelope(keyring).seal(secret, sealedAt(projectId, id))
}

/** @throws UnknownSealKey, SealBroken */
export function openClientSecret(
  keyring: Keyring,
  row: { project_id: string; id: string; sealed_secret: string },
): string {
  return createEnvelope(keyring).open(row.sealed_secret, sealedAt(row.project_id, row.id)).toString()
}
