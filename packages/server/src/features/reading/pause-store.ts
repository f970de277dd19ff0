import { sql } from 'kysely'
import type { ProjectDb } from '../../kernel/db/index.ts'

/** Pauses objects in every installation of an integration, because a destructive deploy left them out. */
export async function pauseObjectsOfIntegration(
  tx: ProjectDb,
  integrationId: string,
  objectNames: string[],
): Promise<void> {
  await sql`
    update read_states as state set paused = 'removed', paused_time = now(), update_time = now()
      from installations as installation
     where installation.project_id = ${tx.projectId} and installation.integration_id = ${integrationId}
       and state.project_id = installation.project_id and state.installation_id = installation.id
       and state.object_name = any(${objectNames}::text[]) and state.paused is null`.execute(tx.sql)
}

/** Pauses every object that is read through a connection because of its credentials, or ends those pauses. */
export async function pauseObjectsOfConnection(tx: ProjectDb, connectionId: string, paused: boolean): Promise<void> {
  await sql`
    update read_states as state
       set paused = ${paused ? 'credentials' : null}, paused_time = ${paused ? sql`now()` : null}, update_time = now()
      from installations as installation
     where installation.project_id = ${tx.projectId} and installation.connection_id = ${connectionId}
       and state.project_id = installation.project_id and state.installation_id = installation.id
       and state.paused is not distinct from ${paused ? null : 'credentials'}::text`.execute(tx.sql)
}

/** Ends the pauses of an installation's objects that a person may end; scheduled from now on. */
export async function unpauseObjects(tx: ProjectDb, installationId: string, objectNames?: string[]): Promise<string[]> {
  const { rows } = await sql<{ object_name: string }>`
    update read_states set paused = null, paused_time = null, failure_count = 0, update_time = now()
     where project_id = ${tx.projectId} and installation_id = ${installationId} and paused in ('request', 'failures', 'credentials')
       and (${objectNames ?? null}::text[] is null or object_name = any(${objectNames ?? null}::text[]))
    returning object_name`.execute(tx.sql)
  return rows.map((row) => row.object_name)
}

/** Installations of an integration after a given one, for working through them in batches. */
export async function listInstallationIds(
  db: ProjectDb,
  integrationId: string,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await db.sql
    .selectFrom('installations')
    .select('id')
    .where('project_id', '=', db.projectId)
    .where('integration_id', '=', integrationId)
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}
