import { type Kysely, type RawBuilder, sql } from 'kysely'
import { andIf, firstIdAt, type ProjectDb, type Tables } from '../../../kernel/db/index.ts'
import type { AuditRecord, PageBounds } from '../../../kernel/http/index.ts'
import type { StoredEntry } from './entry.ts'

/** Handles of this feature are bound to a log: `projectId` is the id of a project, an organization or the service. */

type LogDb = Pick<ProjectDb, 'projectId' | 'sql'>

export type NewEntry = { id: string; record: AuditRecord }

/** Columns of an entry that come from its row. */
const rowColumns = sql`id uuid, actor_kind text, actor_id text, actor_name text, action text, verb text, outcome text,
          resource_kind text, resource_id text, address text, user_agent text, request_id text, old_value json, new_value json`

/** Returns an entry as the statements below take it. */
export function entryRow({ id, record }: NewEntry): object {
  return {
    id,
    actor_kind: record.actor.kind,
    actor_id: record.actor.id,
    actor_name: record.actor.name,
    action: record.action,
    verb: record.verb,
    outcome: record.outcome,
    resource_kind: record.resource.kind,
    resource_id: record.resource.id,
    address: record.address,
    user_agent: record.userAgent,
    request_id: record.requestId,
    old_value: record.before,
    new_value: record.after,
  }
}

/**
 * The entries of rows that a statement makes, as part of that statement: of each row of `made`, the column `entry` of
 * its `input`. Follow it with `madeEntriesUnsealed`, under the name `audited`.
 */
export const madeEntries: RawBuilder<unknown> = sql`
    insert into audit_entries (project_id, id, actor_kind, actor_id, actor_name, action, verb, outcome, resource_kind,
                               resource_id, address, user_agent, request_id)
    select made.project_id, entry.id, entry.actor_kind, entry.actor_id,
           entry.actor_name,
           entry.action, entry.verb, entry.outcome, entry.resource_kind, made.id::text, entry.address, entry.user_agent,
           entry.request_id
      from made join input on input.id = made.id
      cross join lateral jsonb_to_record(input.entry) as entry (${rowColumns})
     where entry.id is not null
    returning project_id, id`

/** Marks the entries of `madeEntries` as not sealed yet. */
export const madeEntriesUnsealed: RawBuilder<unknown> = sql`
    insert into audit_unsealed (project_id, entry_id) select project_id, id from audited`

/** Inserts entries, and marks them as not sealed yet. */
export async function insertEntries(db: LogDb, entries: readonly NewEntry[]): Promise<void> {
  const rows = entries.map(entryRow)
  await sql`
    with made as (
      insert into audit_entries (project_id, id, actor_kind, actor_id, actor_name, action, verb, outcome, resource_kind,
                                 resource_id, address, user_agent, request_id, old_value, new_value)
      select ${db.projectId}, entry.id, actor_kind, actor_id,
             actor_name,
             action, verb, outcome, resource_kind, resource_id, address, user_agent, request_id, old_value, new_value
        from json_to_recordset(${JSON.stringify(rows)}::json) entry (${rowColumns})
      returning id
    )
    insert into audit_unsealed (project_id, entry_id) select ${db.projectId}, id from made`.execute(db.sql)
}

export interface EntryFilter {
  /** Entries from this time on. */
  from?: Date | undefined
  /** Entries before this time. */
  to?: Date | undefined
  actorId?: string | undefined
  action?: string | undefined
  resourceKind?: string | undefined
  resourceId?: string | undefined
}

/** Lists entries, newest first. An index answers each filter in the order of the list. */
export async function listEntries(db: ProjectDb, filter: EntryFilter, page: PageBounds): Promise<StoredEntry[]> {
  let query = selectEntries(db).orderBy('id', 'desc')
  if (filter.from) query = query.where('id', '>=', firstIdAt(filter.from))
  if (filter.to) query = query.where('id', '<', firstIdAt(filter.to))
  if (filter.actorId !== undefined) query = query.where('actor_id', '=', filter.actorId)
  if (filter.action !== undefined) query = query.where('action', '=', filter.action)
  if (filter.resourceKind !== undefined) query = query.where('resource_kind', '=', filter.resourceKind)
  if (filter.resourceId !== undefined) query = query.where('resource_id', '=', filter.resourceId)
  if (page.after !== undefined) query = query.where('id', '<', page.after)
  if (page.limit !== undefined) query = query.limit(page.limit)
  return await query.execute()
}

/** Lists entries about some resources, newest first. Reads as many of each resource as the list may have. */
export async function listEntriesOf(
  db: ProjectDb,
  resources: readonly { kind: string; id: string }[],
  { from, below, limit }: { from?: string | undefined; below?: string | undefined; limit: number },
): Promise<StoredEntry[]> {
  const [kinds, ids] = [resources.map(({ kind }) => kind), resources.map(({ id }) => id)]
  const { rows } = await sql<StoredEntry>`
    select e.id, e.actor_kind as "actorKind", e.actor_id as "actorId", e.actor_name as "actorName", e.action, e.verb, e.outcome,
      e.resource_kind as "resourceKind", e.resource_id as "resourceId", e.address, e.user_agent as "userAgent",
      e.request_id as "requestId", null as before, null as after
      from unnest(${kinds}::text[], ${ids}::text[]) as r (kind, id)
     cross join lateral (
       select a.* from audit_entries a
        where a.project_id = ${db.projectId} and a.resource_kind = r.kind and a.resource_id = r.id
          ${andIf(from, (id) => sql`a.id >= ${id}::uuid`)} ${andIf(below, (id) => sql`a.id < ${id}::uuid`)}
        order by a.id desc limit ${limit}
     ) e
     order by e.id desc limit ${limit}`.execute(db.sql)
  return rows
}

export async function findEntries(db: LogDb, ids: readonly string[]): Promise<StoredEntry[]> {
  return await selectEntries(db).where('id', '=', sql<string>`any(${ids}::uuid[])`).execute()
}

function selectEntries(db: LogDb) {
  return db.sql
    .selectFrom('audit_entries')
    .select([
      'id',
      'actor_kind as actorKind',
      'actor_id as actorId',
      'actor_name as actorName',
      'action',
      'verb',
      'outcome',
      'resource_kind as resourceKind',
      'resource_id as resourceId',
      'address',
      'user_agent as userAgent',
      'request_id as requestId',
      sql<string | null>`old_value::text`.as('before'),
      sql<string | null>`new_value::text`.as('after'),
    ])
    .where('project_id', '=', db.projectId)
}

/** Deletes entries of days before `before`. Returns how many. */
export async function deleteOldEntries(system: Kysely<Tables>, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    select delete_old_audit_entries(${before.toISOString().slice(0, 10)}::date, ${limit}::integer) as deleted`.execute(
    system,
  )
  return rows[0]?.deleted ?? 0
}
