import { sql } from 'kysely'
import { type ProjectDb, prepared } from '../../../kernel/db/index.ts'

/** A store of records, which a destination of type `records` has. */
export interface RecordStore {
  id: string
  destinationId: string
  destinationName: string
}

/** Oldest destination first. */
export async function listRecordStores(db: ProjectDb): Promise<RecordStore[]> {
  const { rows } = await sql<{ id: string; destination_id: string; name: string }>`${prepared}
    select s.id, s.destination_id, d.name
      from record_stores s join destinations d on d.project_id = s.project_id and d.id = s.destination_id
     where s.project_id = ${db.projectId}
     order by s.destination_id`.execute(db.sql)
  return rows.map(({ id, destination_id, name }) => ({ id, destinationId: destination_id, destinationName: name }))
}

/** Creates the store of a destination, or updates it. What is kept may have to be cleaned now. */
export async function putRecordStore(
  tx: ProjectDb,
  { id, destinationId, retentionDays }: { id: string; destinationId: string; retentionDays: number | null },
): Promise<void> {
  await sql`
    insert into record_stores (project_id, id, destination_id, retention_days)
    values (${tx.projectId}, ${id}, ${destinationId}, ${retentionDays}::int)
    on conflict (project_id, destination_id) do update
       set retention_days = excluded.retention_days, clean_at = now()`.execute(tx.sql)
}

/** Leaves the store of a destination that has another type now, or was deleted. Its records are deleted later. */
export async function leaveRecordStore(tx: ProjectDb, destinationId: string): Promise<void> {
  await sql`
    update record_stores set destination_id = null
     where project_id = ${tx.projectId} and destination_id = ${destinationId}`.execute(tx.sql)
}

/** Hides the records of installations that are being deleted. They are deleted later. */
export async function insertRemovals(tx: ProjectDb, installationIds: readonly string[]): Promise<void> {
  await sql`
    insert into record_removals (project_id, installation_id)
    select ${tx.projectId}, unnest(${installationIds}::uuid[])
    on conflict do nothing`.execute(tx.sql)
}

/** Deletes some records of installations that were deleted. Returns whether there may be more. */
export async function eraseRecords(db: ProjectDb, installationIds: readonly string[], limit: number): Promise<boolean> {
  const { rows } = await sql<{ erased: number }>`
    with erased as (
      select installation_id, store_id, record_key from records
       where project_id = ${db.projectId} and installation_id = any(${installationIds}::uuid[])
       limit ${limit}
    ), gone as (
      delete from records r using erased e
       where r.project_id = ${db.projectId} and r.installation_id = e.installation_id and r.store_id = e.store_id
         and r.record_key = e.record_key
    )
    select count(*)::int as erased from erased`.execute(db.sql)
  return rows[0]?.erased === limit
}
