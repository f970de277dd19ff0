import { sql } from 'kysely'
import { andIf, isId, type ProjectDb, prepared } from '../../../kernel/db/index.ts'
import type { Confinement } from '../../../kernel/http/index.ts'
import { type CredentialRow, credentialColumns } from '../credentials/index.ts'
import type { ConnectionRow } from './resource.ts'
import { connectionColumns, connectionTables } from './store.ts'

/** A connection with its encrypted credential. */
export interface EncryptedConnectionRow extends ConnectionRow, CredentialRow {
  /** The app that its tokens were issued to. */
  provider_app_id: string | null
}

/** Finds a connection with its encrypted credential. A consumer token sees only connections of its group. */
export async function findEncryptedConnection(
  db: ProjectDb,
  id: string,
  confinedTo?: Confinement,
): Promise<EncryptedConnectionRow | undefined> {
  if (!isId(id)) return undefined
  const { rows } = await sql<EncryptedConnectionRow>`${prepared}
    select ${connectionColumns}, c.provider_app_id, ${credentialColumns}
    from ${connectionTables}
    join connection_credentials k on k.project_id = c.project_id and k.connection_id = c.id
    where c.project_id = ${db.projectId} and c.id = ${id}
      ${andIf(confinedTo?.groupRef, (ref) => sql`c.group_ref = ${ref}`)}`.execute(db.sql)
  return rows[0]
}
