import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'

/** Installations that one statement looks at. */
const removalsMax = 100

/** Deletes some records of installations that were deleted. Returns whether there may be more. */
export async function cleanRemoved(system: Kysely<Tables>, limit: number): Promise<boolean> {
  const { rows } = await sql<{ more: boolean }>`
    with removals as materialized (
      select project_id, installation_id from record_removals limit ${removalsMax} for update skip locked
    ), removed as materialized (
      select r.project_id, r.installation_id, r.store_id, r.record_key
        from removals m cross join lateral (
          select project_id, installation_id, store_id, record_key from records
           where project_id = m.project_id and installation_id = m.installation_id limit ${limit}
        ) r
       limit ${limit}
    ), gone as (
      delete from records r using removed d
       where r.project_id = d.project_id and r.installation_id = d.installation_id and r.store_id = d.store_id
         and r.record_key = d.record_key
    ), ended as (
      delete from record_removals m using removals d
       where m.project_id = d.project_id and m.installation_id = d.installation_id
         and (select count(*) from removed) < ${limit}
    )
    select (select count(*) from removed) = ${limit} or (select count(*) from removals) = ${removalsMax} as more`.execute(
    system,
  )
  return rows[0]?.more === true
}

/** Deletes some records of a store without a destination, and at the end the store. Returns whether there was one. */
export async function cleanLeft(system: Kysely<Tables>, limit: number): Promise<boolean> {
  const { rows } = await sql`
    with store as materialized (
      select project_id, id from record_stores where destination_id is null
       order by project_id, id limit 1 for update skip locked
    ), left_over as materialized (
      select r.project_id, r.installation_id, r.store_id, r.record_key
        from store s cross join lateral (
          select project_id, installation_id, store_id, record_key from records
           where project_id = s.project_id and store_id = s.id limit ${limit}
        ) r
    ), gone as (
      delete from records r using left_over d
       where r.project_id = d.project_id and r.installation_id = d.installation_id and r.store_id = d.store_id
         and r.record_key = d.record_key
    ), ended as (
      delete from record_stores s using store d
       where s.project_id = d.project_id and s.id = d.id and (select count(*) from left_over) < ${limit}
    )
    select from store`.execute(system)
  return rows.length > 0
}

/**
 * Deletes some records of a store that is due: those that no message has named within its retention, and deleted ones
 * whose mark has been kept long enough. A store is due again an hour later. A delivery
 * locks the store too, so neither waits for a record of the other. Returns whether a store was due.
 *
 * @param marksDays how long marks are kept where the store has no retention
 * @param marksDaysMin and at least, because an older message of the record may still arrive
 */
export async function cleanOld(
  system: Kysely<Tables>,
  { now, marksDays, marksDaysMin, limit }: { now: Date; marksDays: number; marksDaysMin: number; limit: number },
): Promise<boolean> {
  const today = sql`(${now}::timestamptz at time zone 'UTC')::date`
  const { rows } = await sql`
    with store as materialized (
      select project_id, id, retention_days from record_stores
       where clean_at <= ${now} and destination_id is not null
       order by clean_at limit 1 for update skip locked
    ), old as materialized (
      select r.project_id, r.installation_id, r.store_id, r.record_key, r.position, r.deleted
        from store s cross join lateral (
          (select project_id, installation_id, store_id, record_key, position, false as deleted from records
            where project_id = s.project_id and store_id = s.id and (deleted_at is not null) = false
              and touched_on < ${today} - s.retention_days
            order by touched_on limit ${limit})
          union all
          (select project_id, installation_id, store_id, record_key, position, true from records
            where project_id = s.project_id and store_id = s.id and (deleted_at is not null) = true
              and touched_on < ${today} - greatest(coalesce(s.retention_days, ${marksDays}::int), ${marksDaysMin}::int)
            order by touched_on limit ${limit})
        ) r
    ), gone as (
      delete from records r using old d
       where r.project_id = d.project_id and r.installation_id = d.installation_id and r.store_id = d.store_id
         and r.record_key = d.record_key
    ), cleaned as (
      update record_stores s
         set clean_at = case when (select count(*) from old) < ${limit} then ${now}::timestamptz + interval '1 hour' else clean_at end,
             forgotten_position = greatest(s.forgotten_position, (select max(position) from old where deleted))
        from store d
       where s.project_id = d.project_id and s.id = d.id
    )
    select from store`.execute(system)
  return rows.length > 0
}
