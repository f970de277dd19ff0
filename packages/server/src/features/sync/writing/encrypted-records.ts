import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import type { PreparedRecord } from './model.ts'

/** Records that wait to be written are somebody's data: they lie in one table, encrypted, until they are written. */

type Keys = { keyring: Keyring }

const recordAt = (db: ProjectDb, operationId: string, position: number) => ({
  table: 'write_items',
  project: db.projectId,
  row: `${operationId}/${position}`,
  column: 'encrypted',
})

export async function insertRecords(
  tx: ProjectDb,
  { keyring }: Keys,
  operationId: string,
  records: readonly PreparedRecord[],
  from = 0,
): Promise<void> {
  const envelope = createEnvelope(keyring)
  const encrypted = records.map((record, at) =>
    envelope.encrypt(JSON.stringify(record), recordAt(tx, operationId, from + at)),
  )
  await sql`
    insert into write_items (project_id, operation_id, position, encrypted)
    select ${tx.projectId}, ${operationId}, ${from}::int + at::int - 1, encrypted
      from unnest(${encrypted}::text[]) with ordinality as item (encrypted, at)`.execute(tx.sql)
}

/** Some records of an operation, in their order. */
export async function listRecords(
  db: ProjectDb,
  { keyring }: Keys,
  operationId: string,
  from: number,
  count: number,
): Promise<PreparedRecord[]> {
  const rows = await db.sql
    .selectFrom('write_items')
    .select(['position', 'encrypted'])
    .where('project_id', '=', db.projectId)
    .where('operation_id', '=', operationId)
    .where('position', '>=', from)
    .orderBy('position')
    .limit(count)
    .execute()
  const envelope = createEnvelope(keyring)
  return rows.map(({ position, encrypted }) =>
    JSON.parse(envelope.open(encrypted, recordAt(db, operationId, position)).toString('utf8')),
  )
}

const headersAt = (db: ProjectDb, operationId: string) => ({
  table: 'write_runs',
  project: db.projectId,
  row: operationId,
  column: 'encrypted_headers',
})

export function encryptHeaders(
  db: ProjectDb,
  { keyring }: Keys,
  operationId: string,
  headers: Record<string, string> | undefined,
): string | undefined {
  return headers && createEnvelope(keyring).encrypt(JSON.stringify(headers), headersAt(db, operationId))
}

export function openHeaders(
  db: ProjectDb,
  { keyring }: Keys,
  operationId: string,
  encrypted: string | undefined,
): Record<string, string> | undefined {
  if (encrypted === undefined) return undefined
  return JSON.parse(createEnvelope(keyring).open(encrypted, headersAt(db, operationId)).toString('utf8'))
}
