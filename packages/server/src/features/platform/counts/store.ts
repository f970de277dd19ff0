import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type ProjectDb, prepared, type Tables } from '../../../kernel/db/index.ts'
import type { Count, CountName, CountRange, Counts, TopInstallation } from './model.ts'
import { eraseRanked } from './rankings.ts'

/** The column of each count. */
const columnOf: Record<CountName, string> = {
  reads: 'reads',
  failedReads: 'failed_reads',
  recordsRead: 'records',
  messagesPosted: 'messages',
  deliveries: 'deliveries',
  failedDeliveries: 'failed_deliveries',
  providerCalls: 'provider_calls',
  failedProviderCalls: 'failed_provider_calls',
}

/** Counts with a partial index. */
const failures: ReadonlySet<CountName> = new Set(['failedReads', 'failedDeliveries', 'failedProviderCalls'])

/**
 * Adds counts of many projects to the tables, in one transaction. Counts of deleted installations are left out. All
 * nodes add in the same order, so they never deadlock, and the few rows of integrations are last: other nodes wait for
 * them only until this commits.
 */
export async function addCounts(system: Kysely<Tables>, counts: readonly Count[]): Promise<void> {
  if (counts.length === 0) return
  const rows = JSON.stringify(
    counts.map(({ projectId, installationId, objectName, hour, counts }) => ({
      project_id: projectId,
      installation_id: installationId,
      object_name: objectName,
      hour: new Date(hour),
      ...Object.fromEntries(Object.entries(columnOf).map(([name, column]) => [column, counts[name as CountName]])),
    })),
  )
  await system.transaction().execute(async (tx) => {
    await addToInstallations(tx, rows)
    await addToIntegrations(tx, rows)
  })
}

async function addToInstallations(tx: Kysely<Tables>, rows: string): Promise<void> {
  await sql`${prepared}
    insert into installation_counts as known (project_id, period, start_time, installation_id, object_name, integration_id,
      reads, failed_reads, records, messages, deliveries, failed_deliveries, provider_calls, failed_provider_calls)
    select d.project_id, p.period, date_trunc(p.period, d.hour, 'UTC') as start_time, d.installation_id, d.object_name,
           i.integration_id, sum(reads), sum(failed_reads), sum(records), sum(messages), sum(deliveries), sum(failed_deliveries),
           sum(provider_calls), sum(failed_provider_calls)
      from jsonb_to_recordset(${rows}::jsonb) as d (project_id uuid, installation_id uuid, object_name text, hour timestamptz,
             reads bigint, failed_reads bigint, records bigint, messages bigint, deliveries bigint, failed_deliveries bigint,
             provider_calls bigint, failed_provider_calls bigint)
      join installations i on i.project_id = d.project_id and i.id = d.installation_id
     cross join (values ('day'), ('hour')) as p (period)
     group by d.project_id, p.period, 3, d.installation_id, d.object_name, i.integration_id
     order by d.project_id, p.period, 3, d.installation_id, d.object_name
    on conflict (project_id, period, start_time, installation_id, object_name) do update
      set reads = known.reads + excluded.reads, failed_reads = known.failed_reads + excluded.failed_reads,
          records = known.records + excluded.records, messages = known.messages + excluded.messages,
          deliveries = known.deliveries + excluded.deliveries,
          failed_deliveries = known.failed_deliveries + excluded.failed_deliveries,
          provider_calls = known.provider_calls + excluded.provider_calls,
          failed_provider_calls = known.failed_provider_calls + excluded.failed_provider_calls`.execute(tx)
}

async function addToIntegrations(tx: Kysely<Tables>, rows: string): Promise<void> {
  await sql`${prepared}
    insert into integration_counts as known (project_id, period, start_time, integration_id, object_name,
      reads, failed_reads, records, messages, deliveries, failed_deliveries, provider_calls, failed_provider_calls)
    select d.project_id, p.period, date_trunc(p.period, d.hour, 'UTC') as start_time, i.integration_id, d.object_name,
           sum(reads), sum(failed_reads), sum(records), sum(messages), sum(deliveries), sum(failed_deliveries),
           sum(provider_calls), sum(failed_provider_calls)
      from jsonb_to_recordset(${rows}::jsonb) as d (project_id uuid, installation_id uuid, object_name text, hour timestamptz,
             reads bigint, failed_reads bigint, records bigint, messages bigint, deliveries bigint, failed_deliveries bigint,
             provider_calls bigint, failed_provider_calls bigint)
      join installations i on i.project_id = d.project_id and i.id = d.installation_id
     cross join (values ('day'), ('hour')) as p (period)
     group by d.project_id, p.period, 3, i.integration_id, d.object_name
     order by d.project_id, p.period, 3, i.integration_id, d.object_name
    on conflict (project_id, period, start_time, integration_id, object_name) do update
      set reads = known.reads + excluded.reads, failed_reads = known.failed_reads + excluded.failed_reads,
          records = known.records + excluded.records, messages = known.messages + excluded.messages,
          deliveries = known.deliveries + excluded.deliveries,
          failed_deliveries = known.failed_deliveries + excluded.failed_deliveries,
          provider_calls = known.provider_calls + excluded.provider_calls,
          failed_provider_calls = known.failed_provider_calls + excluded.failed_provider_calls`.execute(tx)
}

/** Creates the partitions of the month of a day, unless they exist. */
export async function ensureCountPartitions(system: Kysely<Tables>, day: string): Promise<void> {
  await sql`select ensure_count_partitions(${day}::date, ${day}::date)`.execute(system)
}

/** Deletes the months that ended some days ago. Returns their partitions. */
export async function dropCountPartitions(system: Kysely<Tables>, days: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select drop_count_partitions(current_date - ${days}::int) as name`.execute(system)
  return rows.map(({ name }) => name)
}

/** Sums of all counts, zero where there is no row. */
const sums = sql<object>`
  coalesce(sum(reads), 0)::bigint as "reads", coalesce(sum(failed_reads), 0)::bigint as "failedReads",
  coalesce(sum(records), 0)::bigint as "recordsRead", coalesce(sum(messages), 0)::bigint as "messagesPosted",
  coalesce(sum(deliveries), 0)::bigint as "deliveries",
  coalesce(sum(failed_deliveries), 0)::bigint as "failedDeliveries",
  coalesce(sum(provider_calls), 0)::bigint as "providerCalls",
  coalesce(sum(failed_provider_calls), 0)::bigint as "failedProviderCalls"`

/** Selects what to sum: of the project if empty. */
export interface CountFilter {
  integrationId?: string | undefined
  objectName?: string | undefined
  /** Ids of installations; only their counts are summed. */
  installationIds?: readonly string[] | undefined
}

/** Sums the counts of each interval of a range that has any, in order. */
export async function listCounts(
  db: ProjectDb,
  range: CountRange,
  filter: CountFilter,
): Promise<(Counts & { startTime: Date })[]> {
  const query = filter.installationIds ? ofInstallations(db, range, filter) : ofIntegrations(db, range, filter)
  const { rows } = await query.execute(db.sql)
  return rows
}

function ofIntegrations(
  db: ProjectDb,
  { interval, from, to }: CountRange,
  { integrationId, objectName }: CountFilter,
): RawBuilder<Counts & { startTime: Date }> {
  return sql`
    select start_time as "startTime", ${sums} from integration_counts
     where project_id = ${db.projectId} and period = ${interval} and start_time >= ${from} and start_time < ${to}
       and (${integrationId ?? null}::uuid is null or integration_id = ${integrationId ?? null})
       and (${objectName ?? null}::text is null or object_name = ${objectName ?? null})
     group by start_time order by start_time`
}

/**
 * Looks up each installation in each interval. The key of the table begins with the time, so a scan of the range would
 * read all installations.
 */
function ofInstallations(
  db: ProjectDb,
  { interval, from, to }: CountRange,
  { integrationId, objectName, installationIds = [] }: CountFilter,
): RawBuilder<Counts & { startTime: Date }> {
  return sql`
    select s.start_time as "startTime", c.*
      from generate_series(${from}::timestamptz, ${to}::timestamptz - interval '1 hour', ${`1 ${interval}`}::interval)
             as s (start_time)
     cross join lateral (
       select ${sums} from installation_counts
        where project_id = ${db.projectId} and period = ${interval} and start_time = s.start_time
          and installation_id = any(${installationIds}::uuid[])
          and (${integrationId ?? null}::uuid is null or integration_id = ${integrationId ?? null})
          and (${objectName ?? null}::text is null or object_name = ${objectName ?? null})
     ) c
     order by s.start_time`
}

/**
 * Lists the installations with the highest count in a range, with exact counts. Counts of failures have partial
 * indexes, so it reads what failed. Of other counts, it merges the rankings of the intervals, and reads the rows of
 * those that are not ranked. Then it looks up all counts of the few installations.
 */
export async function listTop(
  db: ProjectDb,
  { interval, from, to }: CountRange,
  { by, integrationId, limit }: { by: CountName; integrationId?: string | undefined; limit: number },
): Promise<TopInstallation[]> {
  const column = sql.ref(columnOf[by])
  const inRange = sql`project_id = ${db.projectId} and period = ${interval} and start_time >= ${from} and start_time < ${to}
    and (${integrationId ?? null}::uuid is null or integration_id = ${integrationId ?? null})`
  const counted = failures.has(by)
    ? sql`select installation_id, integration_id, ${column} as total from installation_counts where ${inRange} and ${column} > 0`
    : sql`
      select installation_id, integration_id, total from ranked_installations where ${inRange} and count_name = ${by}
      union all
      select n.installation_id, n.integration_id, ${column}
        from generate_series(${from}::timestamptz, ${to}::timestamptz - interval '1 hour', ${`1 ${interval}`}::interval)
               as s (start_time)
       cross join lateral (
         select * from installation_counts
          where project_id = ${db.projectId} and period = ${interval} and start_time = s.start_time and ${column} > 0
            and (${integrationId ?? null}::uuid is null or integration_id = ${integrationId ?? null})
       ) n
       where not exists (
         select from ranked_intervals r
          where r.project_id = ${db.projectId} and r.period = ${interval} and r.start_time = s.start_time)`
  const { rows } = await sql<Counts & { installation_id: string; integration_id: string; group_ref: string | null }>`
    with top as materialized (
      select installation_id, integration_id, sum(total) as total from (${counted}) counted
       group by installation_id, integration_id
       order by sum(total) desc, installation_id
       limit ${limit}
    )
    select top.installation_id, top.integration_id, i.group_ref, c.* from top
      left join installations i on i.project_id = ${db.projectId} and i.id = top.installation_id
     cross join lateral (
       select ${sums}
         from generate_series(${from}::timestamptz, ${to}::timestamptz - interval '1 hour', ${`1 ${interval}`}::interval)
                as s (start_time)
         join installation_counts n on n.project_id = ${db.projectId} and n.period = ${interval} and n.start_time = s.start_time
          and n.installation_id = top.installation_id and n.integration_id = top.integration_id) c
     order by ${sql.ref(`c.${by}`)} desc, top.installation_id`.execute(db.sql)
  return rows.map(({ installation_id, integration_id, group_ref, ...counts }) => ({
    installationId: installation_id,
    integrationId: integration_id,
    ...(group_ref !== null && { groupRef: group_ref }),
    counts,
  }))
}

const dayMs = 86_400_000
/** A month is not dropped before all of it is past retention. */
const monthDays = 31

/** Deletes the counts of installations that are erased, a month at a time. */
export async function eraseCounts(
  db: ProjectDb,
  installationIds: readonly string[],
  { now, days, signal }: { now: Date; days: number; signal: AbortSignal },
): Promise<void> {
  await eraseRanked(db, installationIds)
  for (let past = 0; past < days + 2 * monthDays; past += monthDays) {
    signal.throwIfAborted()
    const to = new Date(now.getTime() - past * dayMs)
    const from = new Date(to.getTime() - monthDays * dayMs)
    await sql`
      delete from installation_counts as c
       using generate_series(date_trunc('day', ${from}::timestamptz, 'UTC'), ${to}::timestamptz, interval '1 hour')
               as s (start_time),
             (values ('day'), ('hour')) as p (period)
       where c.project_id = ${db.projectId} and c.period = p.period and c.start_time = s.start_time
         and c.installation_id = any(${installationIds}::uuid[])`.execute(db.sql)
  }
}
