import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { createEnvelope, type EncryptedAt, type Keyring } from '../../../kernel/encryption/index.ts'

function encryptedAt(projectId: string, integrationId: string): EncryptedAt {
  return { table: 'offered_secrets', project: projectId, row: integrationId, column: 'encrypted_secret' }
}

/**
 * Stores the secret that will sign the events of an integration, as a handshake offers it, and replaces the previous
 * one. Anybody can send a handshake, so this stores at most one per second. The provider sends another one on request.
 */
export async function keepHandshakeSecretOfApp(
  db: ProjectDb,
  { keyring }: { keyring: Keyring },
  { integrationId, secret }: { integrationId: string; secret: string },
): Promise<void> {
  const encrypted = createEnvelope(keyring).encrypt(secret, encryptedAt(db.projectId, integrationId))
  await sql`
    insert into offered_secrets as o (project_id, integration_id, encrypted_secret)
    values (${db.projectId}, ${integrationId}, ${encrypted})
    on conflict (project_id, integration_id) do update set encrypted_secret = excluded.encrypted_secret, create_time = now()
    where o.create_time < now() - interval '1 second'`.execute(db.sql)
}

/** Returns the secrets of the last day, by integration. @throws UnknownEncryptionKey, DecryptionFailed */
export async function handshakeSecrets(
  db: ProjectDb,
  { keyring }: { keyring: Keyring },
  integrationIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (integrationIds.length === 0) return new Map()
  const { rows } = await sql<{ integration_id: string; encrypted_secret: string }>`
    select integration_id, encrypted_secret from offered_secrets
    where project_id = ${db.projectId} and integration_id = any(${integrationIds}::uuid[])
      and create_time > now() - interval '1 day'`.execute(db.sql)
  const envelope = createEnvelope(keyring)
  return new Map(
    rows.map(({ integration_id: id, encrypted_secret: encrypted }) => [
      id,
      envelope.open(encrypted, encryptedAt(db.projectId, id)).toString(),
    ]),
  )
}
