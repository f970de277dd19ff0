import { sql } from 'kysely'
import { type NewId, type ProjectDb, prepared } from '../../../kernel/db/index.ts'
import { publishRows } from '../../../kernel/pubsub/index.ts'
import { logsTopic } from './logs-topic.ts'
import type { NewOperation } from './store.ts'

/** An operation that has already ended when it is stored, with its one line of log. */
export interface EndedOperation extends NewOperation {
  status: 'success' | 'failure'
  result: string
  begun: Date
  ended: Date
  line: { severity: 'INFO' | 'ERROR'; msg: string; details: Record<string, string> }
}

/**
 * Stores many operations that ran without the database, in one statement. Skips operations of deleted installations,
 * and those that are stored already: after a broken connection, the caller may store them again.
 * Does not update the last operation of the installation, which shows only its own activity.
 */
export async function recordOperations(
  db: ProjectDb,
  { newId }: { newId: NewId },
  operations: readonly EndedOperation[],
): Promise<void> {
  const rows = operations.map((operation) => ({
    id: operation.id,
    integration_id: operation.integrationId,
    installation_id: operation.installationId,
    config_id: operation.configId,
    action_type: operation.actionType,
    read_type: operation.readType ?? null,
    resource: operation.resource,
    status: operation.status,
    result: operation.result,
    metadata: operation.metadata ?? {},
    is_quiet: operation.actionType === 'proxy' && operation.status === 'success' ? true : null,
    create_time: operation.begun,
    update_time: operation.ended,
    log_id: newId(),
    severity: operation.line.severity,
    message: { msg: operation.line.msg, operation_id: operation.id, details: operation.line.details },
  }))
  // Prepared although the tables are partitioned: rows are only inserted there, so the plan is the same for all days.
  await sql`${prepared}
    with called as materialized (
      select r.* from json_to_recordset(${JSON.stringify(rows)}::json) r (id uuid, integration_id uuid, installation_id uuid,
        config_id uuid, action_type text, read_type text, resource text, status text, result text, metadata jsonb, is_quiet boolean,
        create_time timestamptz, update_time timestamptz, log_id uuid, severity text, message jsonb)
       where exists (select from installations i where i.project_id = ${db.projectId} and i.id = r.installation_id)
    ), written as (
      insert into operations (project_id, id, integration_id, installation_id, config_id, action_type, read_type, resource, status,
        result, metadata, is_quiet, create_time, update_time)
      select ${db.projectId}, id, integration_id, installation_id, config_id, action_type, read_type, resource, status, result, metadata,
        is_quiet, create_time, update_time from called
      on conflict do nothing
      returning id
    ), lines as (
      insert into operation_logs (project_id, operation_id, id, severity, message, create_time)
      select ${db.projectId}, id, log_id, severity, message, update_time from called join written using (id)
    )
    ${publishRows(
      logsTopic(db.projectId),
      'created',
      rows.map((row) => row.log_id),
    )}`.execute(db.sql)
}
