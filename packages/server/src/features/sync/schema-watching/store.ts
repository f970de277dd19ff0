import { type RawBuilder, type Selectable, sql } from 'kysely'
import { andIf, type ProjectDb, type Tables } from '../../../kernel/db/index.ts'
import type { PageBounds } from '../../../kernel/http/index.ts'
import type { Lease, Work, WorkTable } from '../../../kernel/work/index.ts'
import type { FieldChanges, SchemaChange, SchemaWatch, WatchedField } from './model.ts'

export async function hasInstallation(db: ProjectDb, integrationId: string, installationId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from installations i join integrations n on n.project_id = i.project_id and n.id = i.integration_id
     where i.project_id = ${db.projectId} and i.id = ${installationId}
       and (n.id::text = lower(${integrationId}) or n.name = ${integrationId})`.execute(db.sql)
  return rows.length > 0
}

/**
 * Replaces the watches of an installation with those of these objects. A new watch is due immediately, for its
 * baseline. A watch whose schedule changed is due at the next time of the new schedule.
 */
export async function syncWatches(
  tx: ProjectDb,
  installationId: string,
  objectNames: string[],
  { schedule, now, next }: { schedule: string; now: RawBuilder<Date>; next: Date },
): Promise<void> {
  await sql`
    delete from schema_watches where project_id = ${tx.projectId} and installation_id = ${installationId}
       and object_name <> all(${objectNames}::text[])`.execute(tx.sql)
  if (objectNames.length === 0) return
  await sql`
    insert into schema_watches (project_id, installation_id, object_name, schedule, next_check_at)
    select ${tx.projectId}, ${installationId}, name, ${schedule}, ${now} from unnest(${objectNames}::text[]) as name
    on conflict (project_id, installation_id, object_name) do update
      set schedule = excluded.schedule, next_check_at = ${next}, update_time = now()
      where schema_watches.schedule <> excluded.schedule`.execute(tx.sql)
}

export type WatchRow = Omit<Selectable<Tables['schema_watches']>, 'fields'> & {
  /** Null before the baseline. */
  fields: WatchedField[] | null
}

/** Watches are recurring work: due at `next_check_at`. */
export const schemaWatches: WorkTable<WatchRow> = {
  table: 'schema_watches',
  key: ['project_id', 'installation_id', 'object_name'],
  due: 'next_check_at',
  failures: 'failure_count',
}

/** Claims due watches of an installation that no worker has. */
export function claimWatches(
  db: ProjectDb,
  work: Work,
  installationId: string,
  limit: number,
): Promise<Lease<WatchRow>[]> {
  const where = sql`work.installation_id = ${installationId}`
  return work.claim(db, schemaWatches, { where, order: sql`work.object_name`, limit })
}

/** The result of a check. */
export interface Snapshot {
  connectionId: string
  module: string | undefined
  declaration: string | undefined
  fields: WatchedField[]
}

/** Ends a check that succeeded. `snapshot` is absent when the stored fields stay as they are. */
export async function settleWatch(
  tx: ProjectDb,
  lease: Lease<WatchRow>,
  { checkTime, next, snapshot }: { checkTime: Date; next: Date; snapshot: Snapshot | undefined },
): Promise<void> {
  const set = [sql`check_time = ${checkTime}, last_error = null, update_time = now()`]
  if (snapshot)
    set.push(sql`connection_id = ${snapshot.connectionId}, module = ${snapshot.module ?? null},
                 declaration = ${snapshot.declaration ?? null}, fields = ${JSON.stringify(snapshot.fields)}`)
  await lease.complete(tx, { due: next, set: sql.join(set) })
}

/** Ends a check that failed. The stored fields stay. */
export async function failWatch(
  tx: ProjectDb,
  lease: Lease<WatchRow>,
  { error, next }: { error: string; next: Date },
): Promise<void> {
  const set = sql`last_error = ${error.replaceAll('\0', '')}, update_time = now()`
  await lease.postpone(tx, { until: next, isFailure: true, set })
}

export async function insertChange(
  tx: ProjectDb,
  change: FieldChanges & { id: string; installationId: string; objectName: string; createTime: Date },
): Promise<void> {
  await tx.sql
    .insertInto('schema_changes')
    .values({
      project_id: tx.projectId,
      id: change.id,
      installation_id: change.installationId,
      object_name: change.objectName,
      created_fields: JSON.stringify(change.createdFields),
      deleted_fields: JSON.stringify(change.deletedFields),
      changed_fields: JSON.stringify(change.changedFields),
      create_time: change.createTime,
    })
    .execute()
}

/** Lists changes, newest first. */
export async function listChanges(
  db: ProjectDb,
  { installationId, objectName }: { installationId: string; objectName: string | undefined },
  { after, limit }: PageBounds,
): Promise<SchemaChange[]> {
  const { rows } = await sql<SchemaChange>`
    select id, installation_id as "installationId", object_name as "objectName", created_fields as "createdFields",
           deleted_fields as "deletedFields", changed_fields as "changedFields", create_time as "createTime"
      from schema_changes
     where project_id = ${db.projectId} and installation_id = ${installationId}
       ${andIf(objectName, (name) => sql`object_name = ${name}`)}
       ${andIf(after, (id) => sql`id < ${id}`)}
     order by id desc limit ${limit ?? null}`.execute(db.sql)
  return rows
}

/** Lists watches, ordered by object name. */
export async function listWatches(db: ProjectDb, installationId: string): Promise<SchemaWatch[]> {
  const { rows } = await sql<{
    object_name: string
    schedule: string
    next_check_at: Date
    check_time: Date | null
    field_count: number | null
    last_error: string | null
  }>`
    select object_name, schedule, next_check_at, check_time, json_array_length(fields) as field_count, last_error
      from schema_watches where project_id = ${db.projectId} and installation_id = ${installationId}
     order by object_name`.execute(db.sql)
  return rows.map((row) => ({
    objectName: row.object_name,
    schedule: row.schedule,
    nextCheckTime: row.next_check_at,
    ...(row.check_time !== null && { checkTime: row.check_time }),
    ...(row.field_count !== null && { fieldCount: row.field_count }),
    ...(row.last_error !== null && { error: row.last_error }),
  }))
}
