import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'

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

/** The app as a token endpoint knows it, with the hosts that it may be used at. @throws UnknownSealKey, SealBroken */
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
