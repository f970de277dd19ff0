import { sql } from 'kysely'
import { isId, type ProjectDb } from '../../../kernel/db/index.ts'
import type { HistoryOf } from './event-store.ts'

/** What a time line is about: exactly one of these. */
export type TimelineOf = { groupRef: string } | { installationId: string } | { connectionId: string }

export interface TargetInstallation {
  id: string
  integrationId: string
  groupRef: string
  connectionId: string
}

/** The resources whose entries a time line shows. */
export interface Target extends HistoryOf {
  /** Existing installations by id. */
  installations: ReadonlyMap<string, TargetInstallation>
}

/** A group or a connection with more installations or connections is represented by its newest ones. */
const resourcesMax = 100

/**
 * Finds the resources of a time line. That of an installation includes its connection. An installation or connection
 * that was deleted still has a history.
 */
export async function findTarget(db: ProjectDb, of: TimelineOf): Promise<Target> {
  if ('groupRef' in of) {
    const installations = await listInstallations(db, { column: 'group_ref', value: of.groupRef })
    return targetOf(installations, { groupRef: of.groupRef, connectionIds: await listConnectionIds(db, of.groupRef) })
  }
  if ('connectionId' in of) {
    if (!isId(of.connectionId)) return targetOf([], { connectionIds: [] })
    const connectionId = of.connectionId.toLowerCase()
    const installations = await listInstallations(db, { column: 'connection_id', value: connectionId })
    return targetOf(installations, { connectionIds: [connectionId] })
  }
  if (!isId(of.installationId)) return targetOf([], { connectionIds: [] })
  const id = of.installationId.toLowerCase()
  const installations = await listInstallations(db, { column: 'id', value: id })
  const target = targetOf(installations, { connectionIds: installations.map(({ connectionId }) => connectionId) })
  return { ...target, installationIds: [id] }
}

function targetOf(
  installations: readonly TargetInstallation[],
  { groupRef, connectionIds }: { groupRef?: string; connectionIds: readonly string[] },
): Target {
  return {
    groupRef,
    connectionIds,
    installationIds: installations.map(({ id }) => id),
    installations: new Map(installations.map((installation) => [installation.id, installation])),
  }
}

async function listInstallations(
  db: ProjectDb,
  { column, value }: { column: 'id' | 'group_ref' | 'connection_id'; value: string },
): Promise<TargetInstallation[]> {
  return await db.sql
    .selectFrom('installations')
    .select(['id', 'integration_id as integrationId', 'group_ref as groupRef', 'connection_id as connectionId'])
    .where('project_id', '=', db.projectId)
    .where(column, '=', value)
    .orderBy('id', 'desc')
    .limit(resourcesMax)
    .execute()
}

async function listConnectionIds(db: ProjectDb, groupRef: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from connections where project_id = ${db.projectId} and group_ref = ${groupRef}
     order by id desc limit ${resourcesMax}`.execute(db.sql)
  return rows.map(({ id }) => id)
}
