import { type RawBuilder, sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'

/**
 * Which installations are deleted together: one, or all of an integration, of a group, or on the connections of a
 * consumer.
 */
export type Uninstalled =
  | { installationId: string }
  | { integrationId: string }
  | { groupRef: string }
  | { consumerRef: string }

function condition(which: Uninstalled): RawBuilder<unknown> {
  if ('consumerRef' in which)
    return sql`connection_id in (
      select c.id from connections c where c.project_id = installations.project_id and c.consumer_ref = ${which.consumerRef})`
  if ('installationId' in which) return sql`id = ${which.installationId}`
  return 'integrationId' in which ? sql`integration_id = ${which.integrationId}` : sql`group_ref = ${which.groupRef}`
}

/** Ids of the connections that they use. */
export async function listConnectionsOf(tx: ProjectDb, which: Uninstalled): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct connection_id as id from installations
    where project_id = ${tx.projectId} and ${condition(which)} order by 1`.execute(tx.sql)
  return rows.map(({ id }) => id)
}

/** Locks them, in the order of their ids, so that nobody else changes them. */
export async function lockInstallationsForDelete(
  tx: ProjectDb,
  which: Uninstalled,
): Promise<{ id: string; connectionId: string }[]> {
  const { rows } = await sql<{ id: string; connectionId: string }>`
    select id, connection_id as "connectionId" from installations
    where project_id = ${tx.projectId} and ${condition(which)} order by id for no key update`.execute(tx.sql)
  return rows
}

/** Deletes them with their configs, read states, waiting runs and backfills. */
export async function deleteInstallationRows(tx: ProjectDb, ids: string[]): Promise<void> {
  await sql`delete from installations where project_id = ${tx.projectId} and id = any(${ids})`.execute(tx.sql)
}
