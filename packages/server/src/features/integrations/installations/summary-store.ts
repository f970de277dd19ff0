import { sql } from 'kysely'
import { andIf, type ProjectDb } from '../../../kernel/db/index.ts'
import type { HealthStatus } from './resource.ts'
import { healthReasons, type InstallationFilter } from './store.ts'

/** What a list of a group's installations shows. */
export interface InstallationSummary {
  id: string
  integrationId: string
  connectionId: string
  healthStatus: HealthStatus
  healthReasons: string[] | null
  isPaused: boolean
  lastReadTime: Date | null
  createTime: Date
}

/**
 * Until when the changes of an object were read. A failed attempt does not move the mark, and one that equals the time
 * of creation is that of an object that was never read.
 */
const readTime = sql`case when high_water_mark > create_time then high_water_mark end`

/** Lists installations of a group without their configs, newest first. */
export async function listInstallationSummaries(
  db: ProjectDb,
  { groupRef, integrationIds }: InstallationFilter,
  limit: number,
): Promise<InstallationSummary[]> {
  const { rows } = await sql<InstallationSummary>`
    select i.id, i.integration_id as "integrationId", i.connection_id as "connectionId", i.health_status as "healthStatus",
      ${healthReasons} as "healthReasons", coalesce(s.is_paused, false) as "isPaused", greatest(s.read_time, b.done_time) as "lastReadTime",
      i.create_time as "createTime"
    from installations i
    join connections c on c.project_id = i.project_id and c.id = i.connection_id
    left join lateral (
      select bool_and(paused is not null) as is_paused, max(${readTime}) as read_time from read_states
       where project_id = i.project_id and installation_id = i.id) s on true
    left join lateral (
      select max(done_time) as done_time from backfills
       where project_id = i.project_id and installation_id = i.id) b on true
    where i.project_id = ${db.projectId}
      ${andIf(groupRef, (ref) => sql`i.group_ref = ${ref}`)}
      ${andIf(integrationIds, (ids) => sql`i.integration_id = any(${ids}::uuid[])`)}
    order by i.id desc limit ${limit}`.execute(db.sql)
  return rows
}
