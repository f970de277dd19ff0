import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import { openCredential } from '../credentials/index.ts'

/** Returns the scopes that accounts granted, by connection. Connections whose provider does not say are absent. */
export async function grantedScopes(
  db: ProjectDb,
  { keyring }: { keyring: Keyring },
  connectionIds: readonly string[],
): Promise<Map<string, readonly string[]>> {
  if (connectionIds.length === 0) return new Map()
  const { rows } = await sql<{ connection_id: string; encrypted: string }>`
    select connection_id, encrypted from connection_credentials
    where project_id = ${db.projectId} and connection_id = any(${connectionIds}::uuid[])`.execute(db.sql)
  const envelope = createEnvelope(keyring)
  return new Map(
    rows.flatMap(({ connection_id: id, encrypted }) => {
      const credential = openCredential(envelope, db.projectId, id, encrypted)
      const scopes = credential.scheme === 'oauth2' ? (credential.scopes ?? []) : []
      return scopes.length > 0 ? [[id, scopes] as const] : []
    }),
  )
}
