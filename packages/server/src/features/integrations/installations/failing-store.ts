import { type RawBuilder, sql } from 'kysely'
import { andIf, type ProjectDb } from '../../../kernel/db/index.ts'
import { type FailingInstallation, type FailureReason, failureReasons } from './failures.ts'
import type { HealthStatus } from './resource.ts'

export interface FailureFilter {
  integrationId?: string | undefined
  groupRef?: string | undefined
  reason?: FailureReason | undefined
}

/** The position of a failure in the list. `since` is exact to the microsecond, unlike a `Date`. */
export interface FailureKey {
  reason: FailureReason
  since: string
  installationId: string
  objectName: string
}

/** Where the failures of a reason are: rows of a partial index, joined with the installation `i`. */
interface Source {
  from: RawBuilder<unknown>
  where: RawBuilder<unknown>
  /** The expression of the index. */
  since: RawBuilder<unknown>
  objectName: RawBuilder<unknown>
  error: RawBuilder<unknown>
  detail: RawBuilder<unknown>
}

const sinceOf = (table: string, column: string) =>
  sql`(case when ${sql.ref(`${table}.${column}`)} is null then ${sql.ref(`${table}.create_time`)} else ${sql.ref(`${table}.${column}`)} end)`

/** The same rules as `healthReasons` and `listHealthCauses` of the store, from the side of what is broken. */
const sources: Record<FailureReason, Source> = {
  bad_credentials: {
    from: sql`connections f join installations i on i.project_id = f.project_id and i.connection_id = f.id`,
    where: sql`f.status = 'bad_credentials'`,
    since: sinceOf('f', 'update_time'),
    objectName: sql`''::text`,
    error: sql`f.check_reason`,
    detail: sql`'The provider refuses the credential of the connection.'::text`,
  },
  backfill_failed: {
    from: sql`backfills f
      join read_states s on s.project_id = f.project_id and s.installation_id = f.installation_id and s.object_name = f.object_name
      join installations i on i.project_id = f.project_id and i.id = f.installation_id`,
    where: sql`f.error is not null and s.paused is distinct from 'config' and s.paused is distinct from 'removed'`,
    since: sinceOf('f', 'update_time'),
    objectName: sql`f.object_name`,
    error: sql`f.error`,
    detail: sql`'[' || f.object_name || '] The backfill could not end: ' || f.error`,
  },
  reads_paused: {
    from: sql`read_states f join installations i on i.project_id = f.project_id and i.id = f.installation_id`,
    where: sql`f.paused = 'failures'`,
    since: sinceOf('f', 'paused_time'),
    objectName: sql`f.object_name`,
    error: sql`f.last_error`,
    detail: sql`'[' || f.object_name || '] Reads are paused after repeated failures: ' || coalesce(f.last_error, 'unknown')`,
  },
  subscription_failed: {
    from: sql`subscriptions f join installations i on i.project_id = f.project_id and i.id = f.installation_id`,
    where: sql`f.error is not null`,
    since: sinceOf('f', 'update_time'),
    objectName: sql`''::text`,
    error: sql`f.error`,
    detail: sql`'The subscription could not be set up: ' || f.error`,
  },
  reads_failing: {
    from: sql`read_states f join installations i on i.project_id = f.project_id and i.id = f.installation_id`,
    where: sql`f.paused is null and f.failure_count > 0 and f.last_error is not null`,
    since: sinceOf('f', 'update_time'),
    objectName: sql`f.object_name`,
    error: sql`f.last_error`,
    detail: sql`f.last_error`,
  },
}

interface Row {
  installation_id: string
  integration_id: string
  integration_name: string
  connection_id: string
  provider: string
  group_ref: string
  group_name: string
  health_status: HealthStatus
  reason: FailureReason
  detail: string
  object_name: string
  since: Date
  exact_since: string
  error: string | null
}

export interface Failure {
  item: FailingInstallation
  key: FailureKey
}

/**
 * Lists failures after a key. Each reason reads the beginning of its own index, so the cost follows the page, not the
 * number of installations or of failures. The filters `integrationId` and `groupRef` are checked on what fails.
 */
export async function listFailures(
  db: ProjectDb,
  filter: FailureFilter,
  { after, limit }: { after: FailureKey | undefined; limit: number },
): Promise<Failure[]> {
  const first = after === undefined ? 0 : failureReasons.indexOf(after.reason)
  const reasons = failureReasons.filter(
    (reason, position) => position >= first && (filter.reason === undefined || filter.reason === reason),
  )
  if (reasons.length === 0) return []
  const parts = reasons.map((reason) => partOf(db, reason, filter, { after, limit }))
  const { rows } = await sql<Row>`
    select f.*, f.since::text as exact_since, n.name as integration_name, c.provider, g.group_name
      from (select * from (${sql.join(parts, sql` union all `)}) parts
             order by position, since, installation_id, object_name limit ${limit}) f
      join integrations n on n.project_id = ${db.projectId} and n.id = f.integration_id
      join connections c on c.project_id = ${db.projectId} and c.id = f.connection_id
      join groups g on g.project_id = ${db.projectId} and g.group_ref = f.group_ref
     order by position, since, installation_id, object_name`.execute(db.sql)
  return rows.map(failureOf)
}

function partOf(
  db: ProjectDb,
  reason: FailureReason,
  { integrationId, groupRef }: FailureFilter,
  { after, limit }: { after: FailureKey | undefined; limit: number },
) {
  const { from, where, since, objectName, error, detail } = sources[reason]
  const key = after?.reason === reason ? after : undefined
  return sql`(
    select ${failureReasons.indexOf(reason)}::int as position, ${reason}::text as reason, ${since} as since, i.id as installation_id,
           ${objectName} as object_name, i.integration_id, i.connection_id, i.group_ref, i.health_status, ${error} as error,
           ${detail} as detail
      from ${from}
     where f.project_id = ${db.projectId} and ${where}
       ${andIf(integrationId, (id) => sql`i.integration_id = ${id}`)}
       ${andIf(groupRef, (ref) => sql`i.group_ref = ${ref}`)}
       ${andIf(key, ({ since: time }) => sql`${since} >= ${time}::timestamptz`)}
       ${andIf(key, (k) => sql`(${since}, i.id, ${objectName}) > (${k.since}::timestamptz, ${k.installationId}::uuid, ${k.objectName}::text)`)}
     order by ${since}, i.id, ${objectName} limit ${limit})`
}

function failureOf(row: Row): Failure {
  return {
    item: {
      installationId: row.installation_id,
      integrationId: row.integration_id,
      integrationName: row.integration_name,
      connectionId: row.connection_id,
      provider: row.provider,
      groupRef: row.group_ref,
      groupName: row.group_name,
      healthStatus: row.health_status,
      reason: row.reason,
      detail: row.detail,
      ...(row.object_name !== '' && { objectName: row.object_name }),
      since: row.since,
      ...(row.error !== null && { lastError: row.error }),
    },
    key: {
      reason: row.reason,
      since: row.exact_since,
      installationId: row.installation_id,
      objectName: row.object_name,
    },
  }
}

/** Counts the failures of each reason, at most `max` of each, and the unhealthy installations. */
export async function countFailures(
  db: ProjectDb,
  max: number,
): Promise<{ unhealthy: number; byReason: Record<FailureReason, number> }> {
  const counts = failureReasons.map((reason) => {
    const { from, where } = sources[reason]
    return sql`(select count(*)::int from (
      select from ${from} where f.project_id = ${db.projectId} and ${where} limit ${max}) some) as ${sql.ref(reason)}`
  })
  const { rows } = await sql<Record<FailureReason, number> & { unhealthy: number }>`
    select ${sql.join(counts)}, (select count(*)::int from (
      select from installations where project_id = ${db.projectId} and health_status = 'unhealthy' limit ${max}) some) as unhealthy`.execute(
    db.sql,
  )
  const { unhealthy = 0, ...byReason } = rows[0] ?? {}
  return { unhealthy, byReason: byReason as Record<FailureReason, number> }
}

/** Counts all installations. Reads an index entry for each. */
export async function countInstallations(db: ProjectDb): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from installations where project_id = ${db.projectId}`.execute(db.sql)
  return rows[0]?.count ?? 0
}
