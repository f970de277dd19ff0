import { sql } from 'kysely'
import { andIf, type ProjectDb } from '../../../kernel/db/index.ts'
import type { PageBounds } from '../../../kernel/http/index.ts'
import type { FieldChanges, SchemaChange, SchemaWatch, WatchedField } from './model.ts'

export async function hasInstallation(db: ProjectDb, integrationId: string, installationId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from installations i join integrations n on n.project_id = i.project_id and n.id = i.integration_id
     where i.project_id = ${db.projectId} and i.id = ${installationId}
       and (n.id::text = lower(${integrationId}) or n.name = ${integrationId})`.execute(db.sql)
  return rows.length > 0
}

/**
 * Makes the watches of an installation those of these objects. A new one is due at once, for its baseline; one whose
 * schedule changed is due when the new schedule says.
 */
export async function syncWatches(
  tx: ProjectDb,
  installationId: string,
  objectNames: string[],
  { schedule, now, next }: { schedule: string; now: Date; next: Date },
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

/** Takes over what was claimed of an installation, whoever claimed it: from now on only this fence can settle it. */
export async function takeWatches(
  db: ProjectDb,
  installationId: string,
  { fence, until }: { fence: string; until: Date },
): Promise<{ objectName: string }[]> {
  const { rows } = await sql<{ objectName: string }>`
    update schema_watches set fence = ${fence}, next_check_at = ${until}
     where project_id = ${db.projectId} and installation_id = ${installationId} and fence is not null
    returning object_name as "objectName"`.execute(db.sql)
  return rows
}

export interface TakenWatch {
  schedule: string
  failureCount: number
  connectionId: string | null
  module: string | null
  declaration: string | null
  /** Null before the baseline. */
  fields: WatchedField[] | null
}

/** The watch as it was seen last, locked; undefined when somebody else has taken it, or it is gone. */
export async function lockWatch(
  tx: ProjectDb,
  installationId: string,
  objectName: string,
  fence: string,
): Promise<TakenWatch | undefined> {
  const { rows } = await sql<TakenWatch>`
    select schedule, failure_count as "failureCount", connection_id as "connectionId", module, declaration, fields
      from schema_watches
     where project_id = ${tx.projectId} and installation_id = ${installationId} and object_name = ${objectName}
       and fence = ${fence} for update`.execute(tx.sql)
  return rows[0]
}

/** What a look found. */
export interface Snapshot {
  connectionId: string
  module: string | undefined
  declaration: string | undefined
  fields: WatchedField[]
}

/** Ends a look that found something; `snapshot` is absent where what is remembered stays as it is. */
export async function settleWatch(
  tx: ProjectDb,
  installationId: string,
  objectName: string,
  { checkTime, next, snapshot }: { checkTime: Date; next: Date; snapshot: Snapshot | undefined },
): Promise<void> {
  await tx.sql
    .updateTable('schema_watches')
    .set({
      fence: null,
      next_check_at: next,
      check_time: checkTime,
      failure_count: 0,
      last_error: null,
      update_time: sql`now()`,
      ...(snapshot && {
        connection_id: snapshot.connectionId,
        module: snapshot.module ?? null,
        declaration: snapshot.declaration ?? null,
        fields: JSON.stringify(snapshot.fields),
      }),
    })
    .where('project_id', '=', tx.projectId)
    .where('installation_id', '=', installationId)
    .where('object_name', '=', objectName)
    .execute()
}

/** Ends a look that found nothing out: what is remembered stays. */
export async function failWatch(
  tx: ProjectDb,
  installationId: string,
  objectName: string,
  { error, next }: { error: string; next: Date },
): Promise<void> {
  await tx.sql
    .updateTable('schema_watches')
    .set((eb) => ({
      fence: null,
      next_check_at: next,
      failure_count: eb('failure_count', '+', 1),
      last_error: error.replaceAll('\0', ''),
      update_time: sql`now()`,
    }))
    .where('project_id', '=', tx.projectId)
    .where('installation_id', '=', installationId)
    .where('object_name', '=', objectName)
    .execute()
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

/** Newest first. */
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

/** By the name of the object. */
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
