import { type Selectable, sql } from 'kysely'
import { andIf, type Database, isId, type ProjectDb, type Tables } from '../../../../kernel/db/index.ts'
import type { PageBounds } from '../../../../kernel/http/index.ts'

export type ApprovalRow = Selectable<Tables['approvals']> & { groupRef: string; integrationName: string }

const columns = sql`a.*, i.group_ref as "groupRef", g.name as "integrationName"`
const tables = sql`approvals a
  join installations i on i.project_id = a.project_id and i.id = a.installation_id
  join integrations g on g.project_id = i.project_id and g.id = i.integration_id`

export type NewApproval = Pick<
  ApprovalRow,
  | 'id'
  | 'installation_id'
  | 'tool_name'
  | 'action'
  | 'object_name'
  | 'agent'
  | 'consumer_digest'
  | 'encrypted_call'
  | 'state_digest'
  | 'decider'
  | 'answer_hash'
  | 'expire_time'
>

export async function insertApproval(tx: ProjectDb, approval: NewApproval): Promise<void> {
  await tx.sql
    .insertInto('approvals')
    .values({ project_id: tx.projectId, ...approval })
    .execute()
}

export async function findApproval(db: ProjectDb, id: string): Promise<ApprovalRow | undefined> {
  if (!isId(id)) return undefined
  const { rows } = await sql<ApprovalRow>`
    select ${columns} from ${tables} where a.project_id = ${db.projectId} and a.id = ${id}`.execute(db.sql)
  return rows[0]
}

export type ListedStatus = 'waiting' | 'asking' | 'ended'
const deciderOf = { waiting: 'person', asking: 'user' } as const

/** Lists requests, newest first: those that wait for a person or a user at `now`, or those that have ended. */
export async function listApprovalRows(
  db: ProjectDb,
  { groupRef, status, now }: { groupRef?: string | undefined; status?: ListedStatus | undefined; now: Date },
  { after, limit }: PageBounds,
): Promise<ApprovalRow[]> {
  const open = sql`(a.status = 'waiting' and a.expire_time > ${now})`
  const { rows } = await sql<ApprovalRow>`
    select ${columns} from ${tables}
     where a.project_id = ${db.projectId}
       ${andIf(groupRef, (ref) => sql`i.group_ref = ${ref}`)}
       ${andIf(status, (is) => (is === 'ended' ? sql`not ${open}` : sql`${open} and a.decider = ${deciderOf[is]}`))}
       ${andIf(after, (id) => sql`a.id < ${id}`)}
     order by a.id desc limit ${limit ?? null}`.execute(db.sql)
  return rows
}

/**
 * Decides a request that waits for this decider and has not expired. Of concurrent decisions, one returns true: the
 * condition is in the row itself.
 */
export async function decideApproval(
  db: ProjectDb,
  id: string,
  decision: {
    status: 'approved' | 'refused'
    decider: 'person' | 'user'
    decidedBy: string
    comment: string | undefined
    now: Date
  },
): Promise<boolean> {
  const { status, decider, decidedBy, comment, now } = decision
  const row = await db.sql
    .updateTable('approvals')
    .set({ status, decided_by: decidedBy, comment: comment ?? null, decide_time: now })
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .where('status', '=', 'waiting')
    .where('decider', '=', decider)
    .where('expire_time', '>', now)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Stores what became of an approved call, once. */
export async function endApproval(
  db: ProjectDb,
  id: string,
  end: { status: 'done' | 'failed'; encryptedResult: string; operationId: string | undefined; now: Date },
): Promise<void> {
  await db.sql
    .updateTable('approvals')
    .set({
      status: end.status,
      encrypted_result: end.encryptedResult,
      operation_id: end.operationId ?? null,
      end_time: end.now,
    })
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .where('status', '=', 'approved')
    .execute()
}

/** Deletes the requests of a consumer, before the consumer is erased. */
export async function deleteApprovalsOf(tx: ProjectDb, consumerDigest: string): Promise<void> {
  await tx.sql
    .deleteFrom('approvals')
    .where('project_id', '=', tx.projectId)
    .where('consumer_digest', '=', consumerDigest)
    .execute()
}

const batchSize = 1_000

/** Deletes some requests past retention, of all projects. Returns whether there may be more. */
export async function deleteOldApprovals(
  { system }: Pick<Database, 'system'>,
  { now, retentionDays }: { now: Date; retentionDays: number },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from approvals where (project_id, id) in (
      select project_id, id from approvals
       where create_time < ${now}::timestamptz - make_interval(days => ${retentionDays}::int) order by create_time limit ${batchSize})`.execute(
    system,
  )
  return Number(numAffectedRows) === batchSize
}
