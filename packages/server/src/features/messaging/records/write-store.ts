import { sql } from 'kysely'
import { byteaArray, intArray, type ProjectDb, textArray } from '../../../kernel/db/index.ts'
import type { StoredContent } from './content.ts'

export interface RecordToStore extends StoredContent {
  installation_id: string
  /** Hex digits. */
  record_key: string
  object_name: string
  record_id: string
  group_ref: string
  provider: string
  workspace: string
  message_id: string
  content_message_id: string | null
  /** When it was deleted, in RFC 3339. */
  deleted_at: string | null
}

/** Keeps installations from being deleted until the transaction ends. Returns those that exist. */
export async function shareInstallations(tx: ProjectDb, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from installations where project_id = ${tx.projectId} and id = any(${ids}::uuid[])
     order by id for key share`.execute(tx.sql)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Takes positions, and locks the store until the transaction ends: so positions become visible in their order. A
 * position is a time in microseconds, or the next one. So those after a restore are higher than those that were
 * returned before it.
 *
 * @returns undefined if the destination has no store any more
 */
export async function takePositions(
  tx: ProjectDb,
  destinationId: string,
  count: number,
): Promise<{ storeId: string; first: number } | undefined> {
  const { rows } = await sql<{ id: string; position: number }>`
    update record_stores
       set position = greatest(position + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint) + ${count - 1}::int
     where project_id = ${tx.projectId} and destination_id = ${destinationId}
    returning id, position`.execute(tx.sql)
  const [row] = rows
  return row && { storeId: row.id, first: row.position - count + 1 }
}

/**
 * Stores records. The newest message says whether a record exists, and the newest one with content says what it
 * contains, in any order of arrival. Only a change moves a record to its new position.
 */
export async function upsertRecords(
  tx: ProjectDb,
  { storeId, first }: { storeId: string; first: number },
  records: readonly RecordToStore[],
): Promise<void> {
  const all = <K extends keyof RecordToStore>(key: K) => records.map((record) => record[key])
  const { origins, ofRecords } = originsOf(records)
  const ofOrigins = <K extends keyof Origin>(key: K) => origins.map((origin) => origin[key])
  await sql`
    insert into records as t (project_id, store_id, position, touched_on, installation_id, record_key, object_name,
           record_id, group_ref, provider, workspace, message_id, content_message_id, deleted_at, content,
           encrypted_content, content_bytes, fingerprint)
    select ${tx.projectId}::uuid, ${storeId}::uuid, ${first}::bigint + r.number - 1, current_date, o.installation_id,
           r.record_key, o.object_name, r.record_id, o.group_ref, o.provider, o.workspace, o.message_id,
           o.content_message_id, o.deleted_at, r.content, r.encrypted_content, r.content_bytes, r.fingerprint
      from unnest(${intArray(ofRecords)}::int[], ${byteaArray(all('record_key'))}::bytea[],
             ${textArray(all('record_id'))}::text[], ${textArray(all('content'))}::text[],
             ${textArray(all('encrypted_content'))}::text[], ${intArray(all('content_bytes'))}::int[],
             ${byteaArray(all('fingerprint'))}::bytea[])
           with ordinality as r (origin, record_key, record_id, content, encrypted_content, content_bytes, fingerprint,
             number)
      join unnest(${ofOrigins('installation_id')}::uuid[], ${ofOrigins('object_name')}::text[],
             ${ofOrigins('group_ref')}::text[], ${ofOrigins('provider')}::text[], ${ofOrigins('workspace')}::text[],
             ${ofOrigins('message_id')}::uuid[], ${ofOrigins('content_message_id')}::uuid[],
             ${ofOrigins('deleted_at')}::timestamptz[])
           with ordinality as o (installation_id, object_name, group_ref, provider, workspace, message_id,
             content_message_id, deleted_at, number)
        on o.number = r.origin + 1
    on conflict (project_id, installation_id, store_id, record_key) do update
       set message_id = greatest(t.message_id, excluded.message_id),
           deleted_at = case when ${isNewer} then excluded.deleted_at else t.deleted_at end,
           group_ref = case when ${isNewer} then excluded.group_ref else t.group_ref end,
           provider = case when ${isNewer} then excluded.provider else t.provider end,
           content_message_id = case when ${hasNewer} then excluded.content_message_id else t.content_message_id end,
           content = case when ${isReplaced} then excluded.content else t.content end,
           encrypted_content = case when ${isReplaced} then excluded.encrypted_content else t.encrypted_content end,
           content_bytes = case when ${isReplaced} then excluded.content_bytes else t.content_bytes end,
           fingerprint = case when ${isReplaced} then excluded.fingerprint else t.fingerprint end,
           position = case when ${isChanged} then excluded.position else t.position end,
           touched_on = excluded.touched_on
     where ${isNewer} or ${hasNewer}`.execute(tx.sql)
}

const originKeys = [
  'installation_id',
  'object_name',
  'group_ref',
  'provider',
  'workspace',
  'message_id',
  'content_message_id',
  'deleted_at',
] as const

/** What records of one message have in common. */
type Origin = Pick<RecordToStore, (typeof originKeys)[number]>

/** Returns each origin once for all records in a row that have it, and its index for each record. */
function originsOf(records: readonly RecordToStore[]): { origins: Origin[]; ofRecords: number[] } {
  const origins: Origin[] = []
  const ofRecords: number[] = []
  for (const record of records) {
    const last = origins.at(-1)
    if (last === undefined || originKeys.some((key) => record[key] !== last[key])) origins.push(record)
    ofRecords.push(origins.length - 1)
  }
  return { origins, ofRecords }
}

const isNewer = sql`excluded.message_id > t.message_id`
const hasNewer = sql`(excluded.content_message_id is not null
  and (t.content_message_id is null or excluded.content_message_id > t.content_message_id))`
const isOther = sql`excluded.fingerprint is distinct from t.fingerprint`
/** Also where the same content is now stored in the other form, encrypted or not. */
const isReplaced = sql`${hasNewer} and (${isOther} or (excluded.content is null) <> (t.content is null))`
const isChanged = sql`(${hasNewer} and ${isOther})
  or (${isNewer} and (excluded.deleted_at is null) <> (t.deleted_at is null))`
