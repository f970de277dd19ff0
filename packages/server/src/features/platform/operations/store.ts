import { type Selectable, sql } from 'kysely'
import { isId, type ProjectDb, type Tables } from '../../../kernel/db/index.ts'
import type { PageBounds } from '../../../kernel/http/index.ts'
import { publishRows } from '../../../kernel/pubsub/index.ts'
import { logsTopic } from './logs-topic.ts'
import type { LogSeverity, Operation, OperationLog, OperationStatus, ReadType } from './model.ts'

type Row = Selectable<Tables['operations']>

export interface NewOperation {
  /** A UUIDv7, which determines the daily partition of an operation. */
  id: string
  integrationId: string
  installationId: string
  configId: string
  actionType: 'read' | 'write' | 'subscribe' | 'proxy' | 'tool'
  /** The kind of a read. */
  readType?: ReadType
  /** Name of the object. */
  resource?: string
  metadata?: Record<string, unknown>
}

export async function insertOperations(db: ProjectDb, operations: NewOperation[]): Promise<void> {
  await db.sql
    .insertInto('operations')
    .values(
      operations.map((operation) => ({
        project_id: db.projectId,
        id: operation.id,
        integration_id: operation.integrationId,
        installation_id: operation.installationId,
        config_id: operation.configId,
        action_type: operation.actionType,
        read_type: operation.readType ?? null,
        resource: operation.resource ?? null,
        status: 'in_progress',
        metadata: JSON.stringify(operation.metadata ?? {}),
      })),
    )
    .execute()
}

/** Ends a running operation. Returns its installation, or undefined when it had already ended. */
export async function updateOperationEnd(
  db: ProjectDb,
  id: string,
  end: { status: 'success' | 'failure'; result: string; metadata: Record<string, unknown> },
): Promise<string | undefined> {
  const row = await db.sql
    .updateTable('operations')
    .set({
      status: end.status,
      result: end.result,
      metadata: sql`metadata || ${JSON.stringify(end.metadata)}::jsonb`,
      update_time: sql`now()`,
    })
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .where('status', '=', 'in_progress')
    .returning('installation_id')
    .executeTakeFirst()
  return row?.installation_id
}

/** Ends all running operations of some installations. */
export async function updateOperationsEndOf(db: ProjectDb, installationIds: string[], result: string): Promise<void> {
  await sql`
    update operations set status = 'failure', result = concat('[' || resource || '] ', ${result}::text), update_time = now()
     where project_id = ${db.projectId} and installation_id = any(${installationIds}) and status = 'in_progress'`.execute(
    db.sql,
  )
}

export async function updateOperationMetadata(
  db: ProjectDb,
  id: string,
  metadata: Record<string, unknown>,
): Promise<void> {
  await db.sql
    .updateTable('operations')
    .set({ metadata: sql`metadata || ${JSON.stringify(metadata)}::jsonb`, update_time: sql`now()` })
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .where('status', '=', 'in_progress')
    .execute()
}

/**
 * Updates the last operation of an installation from its newest operation, at least as new as the given one. Follows
 * the rule of `lastOperation`: the pair of id and end only grows. The comparison is in the row itself, so that of two
 * concurrent updates the newer operation stays, whichever commits last. Reads only the partitions from the day of the
 * given operation on. Skips calls of the proxy and of tools, which are not activity of the installation itself.
 */
export async function updateLastOperation(db: ProjectDb, of: { id: string; installationId: string }): Promise<void> {
  await sql`
    insert into last_operations as shown (project_id, installation_id, operation_id, status)
    select project_id, installation_id, id, status from operations
     where project_id = ${db.projectId} and installation_id = ${of.installationId} and id >= ${of.id}
       and action_type not in ('proxy', 'tool')
     order by id desc limit 1
    on conflict (project_id, installation_id) do update set operation_id = excluded.operation_id, status = excluded.status
     where (shown.operation_id, shown.status <> 'in_progress') < (excluded.operation_id, excluded.status <> 'in_progress')`.execute(
    db.sql,
  )
}

/** Deletes the last operations of installations. */
export async function deleteLastOperations(db: ProjectDb, installationIds: string[]): Promise<void> {
  await sql`
    delete from last_operations
     where project_id = ${db.projectId} and installation_id = any(${installationIds})`.execute(db.sql)
}

export async function findOperation(db: ProjectDb, id: string): Promise<Operation | undefined> {
  const row = await db.sql
    .selectFrom('operations')
    .selectAll()
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && operationResource(row)
}

/** Lists operations, newest first; those with ids below `after` when it is defined. */
export async function listOperations(
  db: ProjectDb,
  page: { installationId: string } & PageBounds,
): Promise<Operation[]> {
  let query = db.sql
    .selectFrom('operations')
    .selectAll()
    .where('project_id', '=', db.projectId)
    .where('installation_id', '=', page.installationId)
    .orderBy('id', 'desc')
  if (page.after !== undefined) query = query.where('id', '<', page.after)
  if (page.limit !== undefined) query = query.limit(page.limit)
  return (await query.execute()).map(operationResource)
}

/** Whether the project has this installation of the integration, named by id or name. */
export async function hasInstallation(db: ProjectDb, integrationIdOrName: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from installations i
      join integrations g on g.project_id = i.project_id and g.id = i.integration_id
     where i.project_id = ${db.projectId} and i.id = ${id}
       and (g.id::text = lower(${integrationIdOrName}) or g.name = ${integrationIdOrName})`.execute(db.sql)
  return rows.length > 0
}

/** Finds an integration by id or name. */
export async function findIntegrationId(db: ProjectDb, idOrName: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from integrations
     where project_id = ${db.projectId} and (id::text = lower(${idOrName}) or name = ${idOrName})`.execute(db.sql)
  return rows[0]?.id
}

/** A group with more installations is represented by its newest ones. */
const installationsMax = 200

/** Lists the installations that the filters of a list name, the newest first; undefined if they name none. */
export async function listNamedInstallations(
  db: ProjectDb,
  { groupRef, installationId }: { groupRef?: string | undefined; installationId?: string | undefined },
): Promise<string[] | undefined> {
  if (installationId !== undefined && !isId(installationId)) return []
  if (groupRef === undefined) return installationId === undefined ? undefined : [installationId]
  const { rows } = await sql<{ id: string }>`
    select id from installations
     where project_id = ${db.projectId} and group_ref = ${groupRef}
       and (${installationId ?? null}::uuid is null or id = ${installationId ?? null})
     order by id desc limit ${installationsMax}`.execute(db.sql)
  return rows.map(({ id }) => id)
}

export interface NewOperationLog {
  id: string
  operationId: string
  severity: LogSeverity
  message: OperationLog['message']
  /** Now by default. */
  createTime?: Date
}

export async function insertOperationLogs(db: ProjectDb, logs: NewOperationLog[]): Promise<void> {
  const lines = JSON.stringify(
    logs.map(({ operationId: operation_id, createTime: create_time, ...log }) => ({
      operation_id,
      create_time,
      ...log,
    })),
  )
  const ids = logs.map(({ id }) => id)
  await sql`
    with written as (
      insert into operation_logs (project_id, operation_id, id, severity, message, create_time)
      select ${db.projectId}, operation_id, id, severity, message, coalesce(create_time, now())
        from json_to_recordset(${lines}::json) r (operation_id uuid, id uuid, severity text, message jsonb, create_time timestamptz)
    )
    ${publishRows(logsTopic(db.projectId), 'created', ids)}`.execute(db.sql)
}

/** Lists log lines of these severities in the order in which they were written. */
export async function listOperationLogs(
  db: ProjectDb,
  { operationId, severities }: { operationId: string; severities: LogSeverity[] },
  limit: number,
): Promise<OperationLog[]> {
  const rows = await db.sql
    .selectFrom('operation_logs')
    .select(['create_time', 'severity', 'message'])
    .where('project_id', '=', db.projectId)
    .where('operation_id', '=', operationId)
    .where('severity', 'in', severities)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    timestamp: row.create_time,
    severity: row.severity as LogSeverity,
    message: row.message as OperationLog['message'],
  }))
}

export function operationResource(row: Row): Operation {
  return {
    id: row.id,
    projectId: row.project_id,
    integrationId: row.integration_id,
    installationId: row.installation_id,
    configId: row.config_id,
    actionType: row.action_type,
    ...(row.read_type !== null && { readType: row.read_type as ReadType }),
    ...(row.resource !== null && { resource: row.resource }),
    status: row.status as OperationStatus,
    ...(row.result !== null && { result: row.result }),
    metadata: row.metadata,
    createTime: row.create_time,
    ...(row.update_time !== null && { updateTime: row.update_time }),
  }
}
