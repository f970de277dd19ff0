import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'

/**
 * Adds scopes that the provider requires and the account has not granted. Only the person of the account can grant
 * them. A new credential removes them.
 */
export async function needScopes(tx: ProjectDb, connectionId: string, scopes: readonly string[]): Promise<void> {
  await sql`
    update connection_credentials set needed_scopes =
      array(select distinct unnest(coalesce(needed_scopes, '{}') || ${[...scopes]}::text[]) limit 200)
    where project_id = ${tx.projectId} and connection_id = ${connectionId}`.execute(tx.sql)
}

/** Returns the scopes that the account must still grant. */
export async function listNeededScopes(db: ProjectDb, connectionId: string): Promise<string[]> {
  const { rows } = await sql<{ scopes: string[] | null }>`
    select needed_scopes as scopes from connection_credentials
    where project_id = ${db.projectId} and connection_id = ${connectionId}`.execute(db.sql)
  return rows[0]?.scopes ?? []
}

/** Returns whether the account must be authorized again, although its credential is valid. */
export async function hasNeededScopes(db: ProjectDb, connectionId: string): Promise<boolean> {
  const { rows } = await sql`
    select from connection_credentials
    where project_id = ${db.projectId} and connection_id = ${connectionId} and needed_scopes is not null`.execute(
    db.sql,
  )
  return rows.length > 0
}
