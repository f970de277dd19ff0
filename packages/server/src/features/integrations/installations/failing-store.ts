import { sql } from 'kysely'
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

const updatedSince = sql`(case when f.update_time is null then f.create_time else f.update_time end)`
const pausedSince = sql`(case when f.paused_time is null then f.create_time else f.paused_time end)`

/**
 * What fails, by reason: rows of a partial index (`f`), each with its installation (`i`). The same rules as
 * `healthReasons` and `listHealthCauses` of the store, from the side of what is broken. Looks up each installation
 * separately (`offset 0`): a join might read all of them to find a hundred.
 */
const installation = sql`cross join lateral (
    select n.* from installations n where n.project_id = f.project_id and n.id = f.installation_id offset 0) i`
const refused = sql`connections f cross join lateral (
    select n.* from installations n where n.project_id = f.project_id and n.connection_id = f.id offset 0) i
  where f.status = 'bad_credentials'`
const brokenBackfills = sql`backfills f cross join lateral (
    select s.paused from read_states s
     where s.project_id = f.project_id and s.installation_id = f.installation_id and s.object_name = f.object_name offset 0) s
  ${installation}
  where f.error is not null and s.paused is distinct from 'config' and s.paused is distinct from 'removed'`
const pausedReads = sql`read_states f ${installation} where f.paused = 'failures'`
const brokenSubscriptions = sql`subscriptions f ${installation} where f.error is not null`
const failingReads = sql`read_states f ${installation} where f.paused is null and f.failure_count > 0`

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

interface Bounds {
  filter: FailureFilter
  after: FailureKey | undefined
  limit: number
}

/**
 * Lists failures after a key. Each reason reads the beginning of an index, so the cost follows the page, not the number
 * of installations or of failures. The filters `integrationId` and `groupRef` are checked on what fails.
 */
export async function listFailures(db: ProjectDb, bounds: Bounds): Promise<Failure[]> {
  const { limit } = bounds
  const { rows } = await sql<Row>`
    select f.*, f.since::text as exact_since, n.name as integration_name, c.provider, g.group_name
      from (
        select * from (
          (select 0 as position, 'bad_credentials' as reason, ${updatedSince} as since, ${installationColumns}, '' as object_name,
                  f.check_reason as error, 'The provider refuses the credential of the connection.' as detail
             from ${refused} and f.project_id = ${db.projectId} ${within(bounds, 'bad_credentials')}
              ${andIf(
                keyOf(bounds, 'bad_credentials'),
                (key) => sql`
                ${updatedSince} >= ${key.since}::timestamptz and (${updatedSince}, i.id) > (${key.since}::timestamptz, ${key.installationId}::uuid)`,
              )}
            order by ${updatedSince}, i.id limit ${limit})
          union all
          (select 1, 'backfill_failed', ${updatedSince}, ${installationColumns}, f.object_name, f.error,
                  '[' || f.object_name || '] The backfill could not end: ' || f.error
             from ${brokenBackfills} and f.project_id = ${db.projectId} ${within(bounds, 'backfill_failed')}
              ${andIf(
                keyOf(bounds, 'backfill_failed'),
                (key) => sql`
                ${updatedSince} >= ${key.since}::timestamptz and (${updatedSince}, f.installation_id, f.object_name) > (${key.since}::timestamptz, ${key.installationId}::uuid, ${key.objectName}::text)`,
              )}
            order by ${updatedSince}, f.installation_id, f.object_name limit ${limit})
          union all
          (select 2, 'reads_paused', ${pausedSince}, ${installationColumns}, f.object_name, f.last_error,
                  '[' || f.object_name || '] Reads are paused after repeated failures: ' || coalesce(f.last_error, 'unknown')
             from ${pausedReads} and f.project_id = ${db.projectId} ${within(bounds, 'reads_paused')}
              ${andIf(
                keyOf(bounds, 'reads_paused'),
                (key) => sql`
                ${pausedSince} >= ${key.since}::timestamptz and (${pausedSince}, f.installation_id, f.object_name) > (${key.since}::timestamptz, ${key.installationId}::uuid, ${key.objectName}::text)`,
              )}
            order by ${pausedSince}, f.installation_id, f.object_name limit ${limit})
          union all
          (select 3, 'subscription_failed', ${updatedSince}, ${installationColumns}, '', f.error,
                  'The subscription could not be set up: ' || f.error
             from ${brokenSubscriptions} and f.project_id = ${db.projectId} ${within(bounds, 'subscription_failed')}
              ${andIf(
                keyOf(bounds, 'subscription_failed'),
                (key) => sql`
                ${updatedSince} >= ${key.since}::timestamptz and (${updatedSince}, f.installation_id) > (${key.since}::timestamptz, ${key.installationId}::uuid)`,
              )}
            order by ${updatedSince}, f.installation_id limit ${limit})
          union all
          (select 4, 'reads_failing', ${updatedSince}, ${installationColumns}, f.object_name, f.last_error, coalesce(f.last_error, 'unknown')
             from ${failingReads} and f.project_id = ${db.projectId} ${within(bounds, 'reads_failing')}
              ${andIf(
                keyOf(bounds, 'reads_failing'),
                (key) => sql`
                ${updatedSince} >= ${key.since}::timestamptz and (${updatedSince}, f.installation_id, f.object_name) > (${key.since}::timestamptz, ${key.installationId}::uuid, ${key.objectName}::text)`,
              )}
            order by ${updatedSince}, f.installation_id, f.object_name limit ${limit})
        ) parts order by position, since, installation_id, object_name limit ${limit}
      ) f
      join integrations n on n.project_id = ${db.projectId} and n.id = f.integration_id
      join connections c on c.project_id = ${db.projectId} and c.id = f.connection_id
      join groups g on g.project_id = ${db.projectId} and g.group_ref = f.group_ref
     order by position, since, installation_id, object_name`.execute(db.sql)
  return rows.map(failureOf)
}

const installationColumns = sql`i.id as installation_id, i.integration_id, i.connection_id, i.group_ref, i.health_status`

/** The filters. A reason that is not wanted, or that pages before were of, is a constant that the planner drops. */
function within({ filter, after }: Bounds, reason: FailureReason) {
  const { integrationId, groupRef } = filter
  const isWanted =
    (filter.reason === undefined || filter.reason === reason) &&
    (after === undefined || failureReasons.indexOf(reason) >= failureReasons.indexOf(after.reason))
  return sql`and ${isWanted}::boolean
    ${andIf(integrationId, (id) => sql`i.integration_id = ${id}`)}
    ${andIf(groupRef, (ref) => sql`i.group_ref = ${ref}`)}`
}

/** Returns the key of the last page if it ended within this reason. */
function keyOf({ after }: Bounds, reason: FailureReason): FailureKey | undefined {
  return after?.reason === reason ? after : undefined
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

type FailureCounts = Record<FailureReason | 'unhealthy', number>

/** Counts the failures of each reason and the unhealthy installations, at most `max` of each. */
export async function countFailures(db: ProjectDb, max: number): Promise<FailureCounts> {
  const { rows } = await sql<FailureCounts>`
    select
      (select count(*)::int from (select from ${refused} and f.project_id = ${db.projectId} limit ${max}) c) as bad_credentials,
      (select count(*)::int from (select from ${brokenBackfills} and f.project_id = ${db.projectId} limit ${max}) c) as backfill_failed,
      (select count(*)::int from (select from ${pausedReads} and f.project_id = ${db.projectId} limit ${max}) c) as reads_paused,
      (select count(*)::int from (select from ${brokenSubscriptions} and f.project_id = ${db.projectId} limit ${max}) c)
        as subscription_failed,
      (select count(*)::int from (select from ${failingReads} and f.project_id = ${db.projectId} limit ${max}) c) as reads_failing,
      (select count(*)::int from (
        select from installations where project_id = ${db.projectId} and health_status = 'unhealthy' limit ${max}) c) as unhealthy`.execute(
    db.sql,
  )
  const [counts] = rows
  if (!counts) throw new Error('a select without a table returns a row')
  return counts
}

/** Counts all installations. Reads an index entry for each. */
export async function countInstallations(db: ProjectDb): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from installations where project_id = ${db.projectId}`.execute(db.sql)
  return rows[0]?.count ?? 0
}
