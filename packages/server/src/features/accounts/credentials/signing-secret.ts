import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import { openCredential } from './credential.ts'

/**
 * Returns the secret of a connection that its provider signs webhooks with: the API key, or the password. Undefined for
 * other credentials.
 *
 * @throws UnknownEncryptionKey, DecryptionFailed
 */
export async function findSigningSecret(
  db: ProjectDb,
  { keyring }: { keyring: Keyring },
  connectionId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ encrypted: string }>`
    select encrypted from connection_credentials
    where project_id = ${db.projectId} and connection_id = ${connectionId}`.execute(db.sql)
  if (!rows[0]) return undefined
  const credential = openCredential(createEnvelope(keyring), db.projectId, connectionId, rows[0].encrypted)
  if (credential.scheme === 'apiKey') return credential.apiKey
  return credential.scheme === 'basic' ? credential.password : undefined
}
