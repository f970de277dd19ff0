import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'

/** What an installation belongs to. */
export interface InstallationOwner {
  groupRef: string
  integrationId: string
}

/**
 * Adds to the items of a list what their installations belong to, in one statement. An item without an installation, or
 * of one that is deleted, stays as it is.
 */
export async function withOwners<T extends { installationId?: string | undefined }>(
  db: ProjectDb,
  items: readonly T[],
): Promise<(T & Partial<InstallationOwner>)[]> {
  const ids = [...new Set(items.flatMap(({ installationId }) => installationId ?? []))]
  if (ids.length === 0) return [...items]
  const { rows } = await sql<{ id: string; group_ref: string; integration_id: string }>`
    select id, group_ref, integration_id from installations
     where project_id = ${db.projectId} and id = any(${ids}::uuid[])`.execute(db.sql)
  const owners = new Map(
    rows.map(({ id, group_ref, integration_id }) => [id, { groupRef: group_ref, integrationId: integration_id }]),
  )
  return items.map((item) => ({ ...item, ...owners.get(item.installationId ?? '') }))
}
