import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { LogSeverity, OperationLog, StreamedLog } from './model.ts'

/** Ids of lines behind `after`, in their order. */
export async function listLogIds(
  db: ProjectDb,
  page: { after: string; operationId: string | undefined; limit: number },
): Promise<string[]> {
  let query = db.sql
    .selectFrom('operation_logs')
    .select('id')
    .where('project_id', '=', db.projectId)
    .where('id', '>', page.after)
    .orderBy('id')
    .limit(page.limit)
  if (page.operationId !== undefined) query = query.where('operation_id', '=', page.operationId)
  return (await query.execute()).map(({ id }) => id)
}

/** Lines by id, in their order, with what their operation is about. */
export async function findLogs(
  db: ProjectDb,
  wanted: {
    ids: string[]
    operationId: string | undefined
    installationId: string | undefined
    severities: LogSeverity[]
  },
): Promise<StreamedLog[]> {
  let query = db.sql
    .selectFrom('operation_logs as l')
    .innerJoin('operations as o', (join) =>
      join.onRef('o.project_id', '=', 'l.project_id').onRef('o.id', '=', 'l.operation_id'),
    )
    .select(['l.id', 'l.operation_id', 'o.installation_id', 'o.resource', 'l.severity', 'l.message', 'l.create_time'])
    .where('l.project_id', '=', db.projectId)
    .where('l.id', '=', sql<string>`any(${wanted.ids}::uuid[])`)
    .where('l.severity', 'in', wanted.severities)
    .orderBy('l.id')
  if (wanted.operationId !== undefined) query = query.where('l.operation_id', '=', wanted.operationId)
  if (wanted.installationId !== undefined) query = query.where('o.installation_id', '=', wanted.installationId)
  return (await query.execute()).map((row) => ({
    id: row.id,
    operationId: row.operation_id,
    installationId: row.installation_id,
    ...(row.resource !== null && { resource: row.resource }),
    timestamp: row.create_time,
    severity: row.severity as LogSeverity,
    message: row.message as OperationLog['message'],
  }))
}

export async function isInstallation(db: ProjectDb, id: string): Promise<boolean> {
  const { rows } = await sql`select from installations where project_id = ${db.projectId} and id = ${id}`.execute(
    db.sql,
  )
  return rows.length > 0
}
