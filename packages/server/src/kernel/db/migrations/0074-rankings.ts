import { type Kysely, sql } from 'kysely'

/**
 * Rankings of the installations of large projects, by count, for each hour and day. `ranked_intervals` has the
 * intervals that are ranked; others are summed up when a list asks for them. So a list is right without any ranking,
 * and nodes of the release before need none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table ranked_intervals (
    project_id uuid not null,
    period text not null check (period in ('hour', 'day')),
    start_time timestamptz not null,
    rank_time timestamptz not null,
    primary key (project_id, period, start_time)
  )`,
  `select protect('ranked_intervals')`,
  `create table ranked_installations (
    project_id uuid not null,
    period text not null check (period in ('hour', 'day')),
    start_time timestamptz not null,
    count_name text not null,
    integration_id uuid not null,
    installation_id uuid not null,
    total bigint not null,
    primary key (project_id, period, count_name, start_time, integration_id, installation_id)
  )`,
  `select protect('ranked_installations')`,
  // For the erasure of a group.
  'create index ranked_installations_by_id on ranked_installations (project_id, installation_id)',
]
