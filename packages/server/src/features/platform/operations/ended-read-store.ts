import { type Kysely, sql } from 'kysely'
import { prepared, type Tables } from '../../../kernel/db/index.ts'

/** A scheduled read that ended in one request, with nothing to deliver. Its operation is one row, without a log. */
export interface EndedRead {
  projectId: string
  operationId: string
  installationId: string
  integrationId: string
  configId: string
  /** The provider’s name of the object. */
  objectName: string
  /** The result in one sentence, without the name of the object. */
  result: string
  begun: Date
}

/** What an installation shows of a read. */
export type ShownRead = Pick<EndedRead, 'projectId' | 'operationId' | 'installationId'>

/** Stores the operations of such reads of many projects, in one statement. */
export async function insertEndedReads(system: Kysely<Tables>, reads: readonly EndedRead[]): Promise<void> {
  if (reads.length === 0) return
  await sql`${prepared}
    insert into operations (project_id, id, integration_id, installation_id, config_id, action_type, read_type, resource, status,
      result, metadata, is_quiet, create_time, update_time)
    select "projectId", "operationId", "integrationId", "installationId", "configId", 'read', 'scheduled', "objectName", 'success',
           concat('[', "objectName", '] ', result),
           jsonb_build_object('objects', jsonb_build_array("objectName"), 'progress', jsonb_build_object(
             'installationId', "installationId", 'objectName', "objectName", 'operationId', "operationId",
             'recordsProcessed', 0)),
           true, begun, now()
      from jsonb_to_recordset(${JSON.stringify(reads)}::jsonb) as read ("projectId" uuid, "operationId" uuid,
        "integrationId" uuid, "installationId" uuid, "configId" uuid, "objectName" text, result text,
        begun timestamptz)`.execute(system)
}

/**
 * Updates the last operation of the installations of such reads, by the rule of `updateLastOperation`. Call it outside
 * a transaction: it waits for transactions that end other operations of the same installations.
 */
export async function showEndedReads(system: Kysely<Tables>, reads: readonly ShownRead[]): Promise<void> {
  if (reads.length === 0) return
  const rows = reads.map((read) => ({
    project_id: read.projectId,
    installation_id: read.installationId,
    operation_id: read.operationId,
  }))
  await sql`${prepared}
    insert into last_operations as shown (project_id, installation_id, operation_id, status)
    select distinct on (i.project_id, i.id) i.project_id, i.id, operation_id, 'success'
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as read (project_id uuid, installation_id uuid,
        operation_id uuid)
      join installations i on i.project_id = read.project_id and i.id = read.installation_id
     order by i.project_id, i.id, operation_id desc
    on conflict (project_id, installation_id) do update set operation_id = excluded.operation_id, status = excluded.status
     where (shown.operation_id, shown.status <> 'in_progress') < (excluded.operation_id, excluded.status <> 'in_progress')`.execute(
    system,
  )
}
