import { type Kysely, sql } from 'kysely'

/**
 * Adds what the overview, the list of failing installations and the search of a project need: indexes of everything
 * that is broken, in the order in which it is listed, and names in lower case. The columns are generated, so nodes of
 * the release before fill them too.
 *
 * Row-level security lets an index answer only leakproof conditions. `lower()` is not, so an index on an expression
 * would not be used.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const since = (time: string) => `(case when ${time} is null then create_time else ${time} end)`

// They end with the time, the order of the list. The failures of one installation are found by the primary keys.
const statements = [
  `create index connections_refused on connections (project_id, ${since('update_time')}) where status = 'bad_credentials'`,
  `create index connections_of_status on connections (project_id, status, id)`,
  `create index backfills_failed on backfills (project_id, ${since('update_time')})
    where error is not null`,
  `create index read_states_stopped on read_states (project_id, ${since('paused_time')})
    where paused = 'failures'`,
  `create index read_states_failing on read_states (project_id, ${since('update_time')})
    where paused is null and failure_count > 0`,
  `create index subscriptions_failed on subscriptions (project_id, ${since('update_time')})
    where error is not null`,
  `create index installations_unhealthy on installations (project_id, id) where health_status = 'unhealthy'`,
  ...['group', 'consumer'].flatMap((owner) => [
    `alter table ${owner}s
      add column search_ref text not null generated always as (lower(${owner}_ref)) stored,
      add column search_name text not null generated always as (lower(${owner}_name)) stored`,
    `create index ${owner}s_by_ref on ${owner}s (project_id, search_ref text_pattern_ops)`,
    `create index ${owner}s_by_name on ${owner}s (project_id, search_name text_pattern_ops)`,
  ]),
  ...Object.entries({
    reads: 'failed_reads',
    deliveries: 'failed_deliveries',
    provider_calls: 'failed_provider_calls',
  }).map(([name, column]) => indexOfMonths(`installation_counts_failed_${name}`, column)),
]

/**
 * An index of each new month. It has entries of what failed only, so a count of something else changes none. Building
 * one blocks writes, so months of more than 256 MB go without, until they are dropped.
 */
function indexOfMonths(name: string, column: string): string {
  const definition = `(project_id, period, start_time, installation_id, integration_id, ${column}) where ${column} > 0`
  return `do $do$
    declare month regclass; part text;
    begin
      create index ${name} on only installation_counts ${definition};
      for month in select inhrelid from pg_inherits where inhparent = 'installation_counts'::regclass loop
        continue when pg_table_size(month) > 256 * 1024 * 1024;
        part := '${name}_' || right(month::text, 6);
        execute format('create index %I on %s ${definition}', part, month);
        execute format('alter index ${name} attach partition %I', part);
      end loop;
    end $do$`
}
