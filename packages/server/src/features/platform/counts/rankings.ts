import { type Kysely, sql } from 'kysely'
import type { ProjectDb, Tables } from '../../../kernel/db/index.ts'

/** Projects with fewer installations are not ranked: a list sums up their counts. */
const installationsMin = 2_000
/** How many installations of each integration are ranked: the maximum of a list. */
const rankedMax = 100
/** A ranking that is older than this is made again. */
const refreshMinutes = 5
/** Counts of an ended interval arrive for some seconds. After this time it is ranked for good. */
const settledMinutes = 5

/**
 * Ranks the current and the last hour and day of all large projects, unless another node has done it lately. Failures
 * have indexes, so only the other counts are ranked.
 */
export async function rankInstallations(
  system: Kysely<Tables>,
  now: Date,
  { min = installationsMin, max = rankedMax }: { min?: number; max?: number } = {},
): Promise<void> {
  await system.transaction().execute(async (tx) => {
    const { rows } = await sql<{ project_id: string; period: string; start_time: Date }>`
      with large as materialized (
        select project_id from installations group by project_id having count(*) >= ${min}
      ), wanted as (
        select large.project_id, p.period, s.start_time
          from large cross join (values ('hour'), ('day')) as p (period)
         cross join lateral (values
           (date_trunc(p.period, ${now}::timestamptz, 'UTC')),
           (date_trunc(p.period, ${now}::timestamptz, 'UTC') - ('1 ' || p.period)::interval)) as s (start_time)
      )
      insert into ranked_intervals as known (project_id, period, start_time, rank_time)
      select project_id, period, start_time, ${now} from wanted order by project_id, period, start_time
      on conflict (project_id, period, start_time) do update set rank_time = excluded.rank_time
       where known.rank_time <= excluded.rank_time - make_interval(mins => ${refreshMinutes})
         and known.rank_time
           < known.start_time + ('1 ' || known.period)::interval + make_interval(mins => ${settledMinutes})
      returning project_id, period, start_time`.execute(tx)
    if (rows.length > 0) await rank(tx, JSON.stringify(rows), max)
  })
}

async function rank(tx: Kysely<Tables>, intervals: string, max: number): Promise<void> {
  await sql`
    delete from ranked_installations r
     using jsonb_to_recordset(${intervals}::jsonb) as w (project_id uuid, period text, start_time timestamptz)
     where r.project_id = w.project_id and r.period = w.period and r.start_time = w.start_time`.execute(tx)
  await sql`
    insert into ranked_installations (project_id, period, start_time, count_name, integration_id, installation_id, total)
    select project_id, period, start_time, count_name, integration_id, installation_id, total
      from (
        select summed.*, n.count_name, n.total, row_number() over (
                 partition by project_id, period, start_time, n.count_name, integration_id
                 order by n.total desc, installation_id) as position
          from (
            select c.project_id, c.period, c.start_time, c.integration_id, c.installation_id, sum(c.reads) as reads,
                   sum(c.records) as records, sum(c.messages) as messages, sum(c.deliveries) as deliveries,
                   sum(c.provider_calls) as provider_calls
              from jsonb_to_recordset(${intervals}::jsonb) as w (project_id uuid, period text, start_time timestamptz)
              join installation_counts c on c.project_id = w.project_id and c.period = w.period and c.start_time = w.start_time
             group by 1, 2, 3, 4, 5
          ) summed
         cross join lateral (values ('reads', reads), ('recordsRead', records), ('messagesPosted', messages),
           ('deliveries', deliveries), ('providerCalls', provider_calls)) as n (count_name, total)
         where n.total > 0
      ) ranked
     where position <= ${max}`.execute(tx)
}

/** Deletes the rankings that began some days ago. */
export async function dropRankings(system: Kysely<Tables>, now: Date, days: number): Promise<void> {
  await sql`
    with old as (
      delete from ranked_intervals where start_time < ${now}::timestamptz - make_interval(days => ${days})
      returning project_id, period, start_time
    )
    delete from ranked_installations r using old
     where r.project_id = old.project_id and r.period = old.period and r.start_time = old.start_time`.execute(system)
}

/** Deletes installations from the rankings. */
export async function eraseRanked(db: ProjectDb, installationIds: readonly string[]): Promise<void> {
  await sql`
    delete from ranked_installations
     where project_id = ${db.projectId} and installation_id = any(${installationIds}::uuid[])`.execute(db.sql)
}
