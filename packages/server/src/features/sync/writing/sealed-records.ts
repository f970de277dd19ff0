import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { createEnvelope } from '../../../kernel/encryption/index.ts'
import type { Services } from '../../../services.ts'
import type { PreparedRecord } from './model.ts'

/** Records that wait to be written are somebody's data: they lie in one table, sealed, until they are written. */

type Keys = Pick<Services, 'keyring'>

const place = (db: ProjectDb, operationId: string, position: number) => ({
  table: 'write_items',
  project: db.projectId,
  row: `${operationId}/${position}`,
  column: 'sealed',
})

export async function insertRecords(
  tx: ProjectDb,
  { keyring }: Keys,
  operationId: string,
  records: readonly PreparedRecord[],
  from = 0,
): Promise<void> {
  const envelope = createEnvelope(keyring)
  const sealed = records.map((record, at) => envelope.seal(JSON.stringify(record), place(tx, operationId, from + at)))
  await sql`
    insert into write_items (project_id, operation_id, position, sealed)
    select ${tx.projectId}, ${operationId}, ${from}::int + at::int - 1, sealed
      from unnest(${sealed}::text[]) with ordinality as item (sealed, at)`.execute(tx.sql)
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
    .select(['position', 'sealed'])
    .where('project_id', '=', db.projectId)
    .where('operation_id', '=', operationId)
    .where('position', '>=', from)
    .orderBy('position')
    .limit(count)
    .execute()
  const envelope = createEnvelope(keyring)
  return rows.map(({ position, sealed }) =>
    JSON.parse(envelope.open(sealed, place(db, operationId, position)).toString('utf8')),
  )
}

const headersPlace = (db: ProjectDb, operationId: string) => ({
  table: 'write_runs',
  project: db.projectId,
  row: operationId,
  column: 'sealed_headers',
})

export function sealHeaders(
  db: ProjectDb,
  { keyring }: Keys,
  operationId: string,
  headers: Record<string, string> | undefined,
): string | undefined {
  return headers && createEnvelope(keyring).seal(JSON.stringify(headers), headersPlace(db, operationId))
}

export function openHeaders(
  db: ProjectDb,
  { keyring }: Keys,
  operationId: string,
  sealed: string | undefined,
): Record<string, string> | undefined {
  if (sealed === undefined) return undefined
  return JSON.parse(createEnvelope(keyring).open(sealed, headersPlace(db, operationId)).toString('utf8'))
}
