import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'

function encryptedAt(projectId: string, id: string) {
  return { table: 'provider_apps', project: projectId, row: id, column: 'encrypted_secret' }
}

/** The client secret as it is stored. */
export function encryptClientSecret(keyring: Keyring, projectId: string, id: string, secret: string): string {
  return createEnvelope(keyring).encrypt(secret, encryptedAt(projectId, id))
}

/** @throws UnknownEncryptionKey, DecryptionFailed */
export function openClientSecret(
  keyring: Keyring,
  row: { project_id: string; id: string; encrypted_secret: string },
): string {
  return createEnvelope(keyring).open(row.encrypted_secret, encryptedAt(row.project_id, row.id)).toString()
}

/**
 * The app as a token endpoint knows it, with the hosts that it may be used at. @throws UnknownEncryptionKey,
 * DecryptionFailed
 */
export function clientOfApp(
  keyring: Keyring,
  row: Parameters<typeof openClientSecret>[1] & { client_id: string; allowed_hosts: string[] | null },
): { clientId: string; clientSecret: string; allowedHosts: readonly string[] } {
  return {
    clientId: row.client_id,
    clientSecret: openClientSecret(keyring, row),
    allowedHosts: row.allowed_hosts ?? [],
  }
}
