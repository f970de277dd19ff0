import { type Kysely, type RawBuilder, sql } from 'kysely'
import { andIf, firstIdAt, newId, type ProjectDb, type Tables } from '../../../kernel/db/index.ts'
import type { StoredKind } from './model.ts'

/** Something that happened to an installation, or to a connection itself. */
export interface ResourceEvent {
  kind: StoredKind
  of: { installationId: string } | { connectionId: string }
  /** Shown to builders: no secrets, no data of records. */
  details?: Record<string, unknown>
}

/**
 * Records what happened in the transaction of the change, in one statement. Leaves out installations and connections
 * that do not exist. Streams of changes are notified by a trigger.
 */
export async function recordEvents(tx: ProjectDb, events: readonly ResourceEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ kind, of, details = {} }) => ({
    id: newId(),
    kind,
    installation_id: 'installationId' in of ? of.installationId : null,
    connection_id: 'connectionId' in of ? of.connectionId : null,
    details,
  }))
  await sql`
    with event as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as event (id uuid, kind text, installation_id uuid, connection_id uuid, details jsonb)
    )
    insert into resource_events (project_id, id, kind, group_ref, integration_id, installation_id, connection_id, details)
    select i.project_id, event.id, event.kind, i.group_ref, i.integration_id, i.id, i.connection_id, event.details
      from event join installations i on i.project_id = ${tx.projectId} and i.id = event.installation_id
    union all
    select c.project_id, event.id, event.kind, c.group_ref, null, null, c.id, event.details
      from event join connections c on c.project_id = ${tx.projectId} and c.id = event.connection_id`.execute(tx.sql)
}

/**
 * Records that installations are deleted, and keeps their history: the versions of their configs become events under
 * the same ids. Authors who are customers are left out. Call it before the rows are deleted.
 */
export async function recordUninstalled(tx: ProjectDb, installationIds: readonly string[]): Promise<void> {
  if (installationIds.length === 0) return
  await sql`
    insert into resource_events (project_id, id, kind, group_ref, integration_id, installation_id, connection_id, created_by,
      details)
    select i.project_id, f.id, case f.version when 1 then 'installation.created' else 'installation.config' end,
      i.group_ref, i.integration_id, i.id, i.connection_id, case when f.created_by not like 'consumer:%' then f.created_by end,
      jsonb_build_object('configId', f.id, 'version', f.version)
      from installations i join configs f on f.project_id = i.project_id and f.installation_id = i.id
     where i.project_id = ${tx.projectId} and i.id = any(${installationIds}::uuid[])
    union all
    select i.project_id, gone.event_id, 'installation.deleted', i.group_ref, i.integration_id, i.id, i.connection_id, null, '{}'
      from unnest(${installationIds}::uuid[], ${installationIds.map(() => newId())}::uuid[]) as gone (id, event_id)
      join installations i on i.project_id = ${tx.projectId} and i.id = gone.id
    on conflict do nothing`.execute(tx.sql)
}

/** Records that connections are deleted, and when they were made. Call it before the rows are deleted. */
export async function recordDeletedConnections(tx: ProjectDb, connectionIds: readonly string[]): Promise<void> {
  if (connectionIds.length === 0) return
  await sql`
    insert into resource_events (project_id, id, kind, group_ref, connection_id, details)
    select c.project_id, event.id, event.kind, c.group_ref, c.id, jsonb_build_object('provider', c.provider)
      from unnest(${connectionIds}::uuid[], ${connectionIds.map(() => newId())}::uuid[]) as gone (id, event_id)
      join connections c on c.project_id = ${tx.projectId} and c.id = gone.id
     cross join lateral (values (c.id, 'connection.created'), (gone.event_id, 'connection.deleted')) as event (id, kind)
    on conflict do nothing`.execute(tx.sql)
}

/** Part of a history: entries with ids from `from` on and below `below`. */
export interface IdRange {
  from?: string | undefined
  below?: string | undefined
}

/** The condition of a range on a column. */
export function inRange(column: RawBuilder<unknown>, { from, below }: IdRange): RawBuilder<unknown> {
  return sql`${andIf(from, (id) => sql`${column} >= ${id}::uuid`)} ${andIf(below, (id) => sql`${column} < ${id}::uuid`)}`
}

export interface StoredEvent {
  id: string
  kind: StoredKind
  group_ref: string
  integration_id: string | null
  installation_id: string | null
  connection_id: string
  created_by: string | null
  details: Record<string, unknown>
}

/** What a history is about. `groupRef` is set for that of a whole group, whose deleted resources are part of it. */
export interface HistoryOf {
  groupRef?: string | undefined
  installationIds: readonly string[]
  connectionIds: readonly string[]
}

/** Lists stored events, newest first. */
export async function listEvents(
  db: ProjectDb,
  { groupRef, installationIds, connectionIds }: HistoryOf,
  { kinds, limit, ...range }: IdRange & { kinds: readonly string[]; limit: number },
): Promise<StoredEvent[]> {
  const wanted = sql`and e.kind = any(${kinds}::text[]) ${inRange(sql`e.id`, range)} order by e.id desc limit ${limit}`
  const query =
    groupRef === undefined
      ? sql<StoredEvent>`
        select found.* from (
          select e.* from unnest(${installationIds}::uuid[]) as i (id)
           cross join lateral (
             select e.* from resource_events e
              where e.project_id = ${db.projectId} and e.installation_id = i.id ${wanted}) e
          union all
          select e.* from unnest(${connectionIds}::uuid[]) as c (id)
           cross join lateral (
             select e.* from resource_events e
              where e.project_id = ${db.projectId} and e.connection_id = c.id and e.installation_id is null ${wanted}) e
        ) found order by found.id desc limit ${limit}`
      : sql<StoredEvent>`
        select e.* from resource_events e where e.project_id = ${db.projectId} and e.group_ref = ${groupRef} ${wanted}`
  const { rows } = await query.execute(db.sql)
  return rows
}

/** Deletes the events of connections. Each has few. */
export async function eraseConnectionEvents(tx: ProjectDb, connectionIds: readonly string[]): Promise<void> {
  await sql`
    delete from resource_events
     where project_id = ${tx.projectId} and connection_id = any(${connectionIds}::uuid[]) and installation_id is null`.execute(
    tx.sql,
  )
}

/**
 * Deletes some events of installations, and those of a group that are older than `before`. Returns whether there may be
 * more.
 */
export async function eraseEvents(
  db: ProjectDb,
  {
    installationIds,
    groupRef,
    before,
  }: { installationIds: readonly string[]; groupRef: string | undefined; before: string },
  limit: number,
): Promise<boolean> {
  const { rows } = await sql<{ seen: number }>`
    with erased as materialized (
      select id from resource_events where project_id = ${db.projectId} and installation_id = any(${installationIds}::uuid[])
      union
      select id from resource_events
       where project_id = ${db.projectId} and group_ref = ${groupRef ?? null} and id < ${before}::uuid
      limit ${limit}
    ), gone as (
      delete from resource_events where project_id = ${db.projectId} and id in (select id from erased)
    )
    select count(*)::int as seen from erased`.execute(db.sql)
  return rows[0]?.seen === limit
}

/** Deletes events of all projects from before a time. Returns how many. */
export async function deleteOldEvents(system: Kysely<Tables>, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    delete from resource_events e
     using (select project_id, id from resource_events where id < ${firstIdAt(before)}::uuid limit ${limit}) old
     where e.project_id = old.project_id and e.id = old.id
    returning e.id`.execute(system)
  return rows.length
}
