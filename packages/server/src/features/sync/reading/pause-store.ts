import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'

/** Objects of an installation that a statement paused. */
export interface PausedObjects {
  installationId: string
  objectNames: string[]
}

/**
 * Pauses the reads of all objects that are not in the named ones of their integration, because a destructive deploy
 * left them out. Returns what it paused, by installation.
 */
export async function pauseObjectsLeftOut(
  tx: ProjectDb,
  deployed: { integrationId: string; objectNames: string[] }[],
): Promise<(PausedObjects & { integrationId: string })[]> {
  const declared = deployed.flatMap(({ integrationId, objectNames }) =>
    objectNames.map((objectName) => ({ integrationId, objectName })),
  )
  const { rows } = await sql<PausedObjects & { integrationId: string }>`
    with declared as materialized (
      select integration_id, object_name
        from unnest(${declared.map((object) => object.integrationId)}::uuid[], ${declared.map((object) => object.objectName)}::text[])
               as declared (integration_id, object_name)
    ), mine as materialized (
      select state.installation_id, state.object_name, installation.integration_id
        from installations as installation
        join read_states as state
          on state.project_id = installation.project_id and state.installation_id = installation.id
         and state.paused is null
       where installation.project_id = ${tx.projectId}
         and installation.integration_id = any(${deployed.map(({ integrationId }) => integrationId)}::uuid[])
         and not exists (
           select from declared
            where declared.integration_id = installation.integration_id and declared.object_name = state.object_name)
       order by state.installation_id, state.object_name for no key update of state
    ), paused as (
      update read_states as state set paused = 'removed', paused_time = now(), update_time = now()
        from mine
       where state.project_id = ${tx.projectId} and state.installation_id = mine.installation_id
         and state.object_name = mine.object_name
      returning state.installation_id, state.object_name, mine.integration_id)
    select integration_id as "integrationId", installation_id as "installationId",
           array_agg(object_name order by object_name) as "objectNames"
      from paused group by 1, 2 order by 2`.execute(tx.sql)
  return rows
}

/**
 * Pauses every object that is read through a connection, because the provider refuses its credentials. Returns what
 * it paused, by installation.
 */
export async function pauseObjectsOfConnection(tx: ProjectDb, connectionId: string): Promise<PausedObjects[]> {
  const { rows } = await sql<PausedObjects>`
    with mine as materialized (
      select state.installation_id, state.object_name
        from installations as installation
        join read_states as state
          on state.project_id = installation.project_id and state.installation_id = installation.id
         and state.paused is null
       where installation.project_id = ${tx.projectId} and installation.connection_id = ${connectionId}
       order by state.installation_id, state.object_name for no key update of state
    ), paused as (
      update read_states as state set paused = 'credentials', paused_time = now(), update_time = now()
        from mine
       where state.project_id = ${tx.projectId} and state.installation_id = mine.installation_id
         and state.object_name = mine.object_name
      returning state.installation_id, state.object_name)
    select installation_id as "installationId", array_agg(object_name order by object_name) as "objectNames"
      from paused group by 1 order by 1`.execute(tx.sql)
  return rows
}

/** Installations of an integration or of a connection, after a given one, for working through them in batches. */
export async function listInstallationIds(
  db: ProjectDb,
  of: { integrationId?: string; connectionId?: string },
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const column = of.integrationId === undefined ? 'connection_id' : 'integration_id'
  const rows = await db.sql
    .selectFrom('installations')
    .select('id')
    .where('project_id', '=', db.projectId)
    .where(column, '=', of.integrationId ?? of.connectionId ?? '')
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}
