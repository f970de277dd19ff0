import { type Kysely, type RawBuilder, sql } from 'kysely'
import { andIf, firstIdAt, type ProjectDb, prepared, type Tables, timeOfId } from '../../../kernel/db/index.ts'
import type { ProviderEvent, ProviderEventOutcome, ReceivedEvents } from './model.ts'

/** A row of the log. */
export type NewProviderEvent = ReceivedEvents & { id: string }

/**
 * Stores entries of many projects in one statement. Leaves out those of projects, and of installations, that do not
 * exist: anybody can send requests to any URL. Returns whose entries were stored.
 */
export async function insertProviderEvents(
  system: Kysely<Tables>,
  rows: readonly NewProviderEvent[],
): Promise<{ projectId: string; installationId: string | null }[]> {
  const { rows: stored } = await sql<{ projectId: string; installationId: string | null }>`${prepared}
    insert into provider_events (project_id, id, outcome, reason, provider, integration_id, installation_id, object_name,
      event_name, requests, events, new_events, bytes)
    select p.id, e.id, e.outcome, e.reason, e.provider, e."integrationId", e."installationId", e."objectName", e."eventName",
      e.requests, e.events, e."newEvents", e.bytes
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e ("projectId" uuid, id uuid, outcome text, reason text,
        provider text, "integrationId" uuid, "installationId" uuid, "objectName" text, "eventName" text, requests integer,
        events integer, "newEvents" integer, bytes bigint)
      join projects p on p.id = e."projectId"
     where e."installationId" is null
        or exists (select from installations i where i.project_id = p.id and i.id = e."installationId")
    returning project_id as "projectId", installation_id as "installationId"`.execute(system)
  return stored
}

/** How many entries a page examines. It limits the time that a page takes, whatever the filters are. */
const examinedMax = 10_000

export interface ProviderEventFilter {
  provider?: string | undefined
  integrationId?: string | undefined
  installationId?: string | undefined
  outcome?: ProviderEventOutcome | undefined
  /** Ids from this one on. */
  from?: string | undefined
  /** Ids below this one. */
  below?: string | undefined
}

interface Row {
  id: string
  outcome: ProviderEventOutcome
  reason: string | null
  provider: string | null
  integration_id: string | null
  installation_id: string | null
  object_name: string | null
  event_name: string | null
  requests: number
  events: number
  new_events: number
  bytes: number
}

/**
 * Lists entries, newest first. The installation or the outcome selects an index, whose newest entries are examined;
 * the other filters are checked on them.
 */
export async function listProviderEvents(
  db: ProjectDb,
  filter: ProviderEventFilter,
  limit: number,
): Promise<{ events: ProviderEvent[]; examinedTo: string | undefined }> {
  const { provider, integrationId, installationId, outcome } = filter
  const { rows } = await sql<Row>`
    select e.* from (${examined(db, filter)} limit ${examinedMax}) e
     where true
       ${andIf(provider, (name) => sql`e.provider = ${name}`)}
       ${andIf(integrationId, (id) => sql`e.integration_id = ${id}::uuid`)}
       ${andIf(installationId, (id) => sql`e.installation_id = ${id}::uuid`)}
       ${andIf(outcome, (name) => sql`e.outcome = ${name}`)}
     order by e.id desc limit ${limit}`.execute(db.sql)
  const events = rows.map(resource)
  if (events.length === limit) return { events, examinedTo: undefined }
  const { rows: ends } = await sql<{ id: string }>`
    select e.id from (${examined(db, filter)} offset ${examinedMax - 1} limit 1) e`.execute(db.sql)
  return { events, examinedTo: ends[0]?.id }
}

function examined(db: ProjectDb, { installationId, outcome, from, below }: ProviderEventFilter): RawBuilder<unknown> {
  const indexed = installationId === undefined && outcome !== 'accepted' ? outcome : undefined
  return sql`
    select x.* from provider_events x
     where x.project_id = ${db.projectId}
       ${andIf(installationId, (id) => sql`x.installation_id = ${id}::uuid`)}
       ${andIf(indexed, (name) => sql`x.outcome = ${name} and x.outcome <> 'accepted'`)}
       ${andIf(from, (id) => sql`x.id >= ${id}::uuid`)}
       ${andIf(below, (id) => sql`x.id < ${id}::uuid`)}
     order by x.id desc`
}

function resource(row: Row): ProviderEvent {
  return {
    id: row.id,
    time: timeOfId(row.id),
    outcome: row.outcome,
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.provider !== null && { provider: row.provider }),
    ...(row.integration_id !== null && { integrationId: row.integration_id }),
    ...(row.installation_id !== null && { installationId: row.installation_id }),
    ...(row.object_name !== null && { objectName: row.object_name }),
    ...(row.event_name !== null && { eventName: row.event_name }),
    requests: row.requests,
    events: row.events,
    newEvents: row.new_events,
    bytes: row.bytes,
  }
}

/** Deletes some entries of installations. Returns whether there may be more. */
export async function eraseProviderEvents(
  db: ProjectDb,
  installationIds: readonly string[],
  limit: number,
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    delete from provider_events e
     using (select id from provider_events
             where project_id = ${db.projectId} and installation_id = any(${installationIds}::uuid[]) limit ${limit}) old
     where e.project_id = ${db.projectId} and e.id = old.id
    returning e.id`.execute(db.sql)
  return rows.length === limit
}

/** Deletes entries of all projects from before a time. Returns how many. */
export async function deleteOldProviderEvents(system: Kysely<Tables>, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    delete from provider_events e
     using (select project_id, id from provider_events where id < ${firstIdAt(before)}::uuid limit ${limit}) old
     where e.project_id = old.project_id and e.id = old.id
    returning e.id`.execute(system)
  return rows.length
}
