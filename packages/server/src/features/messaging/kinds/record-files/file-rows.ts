import { createHash } from 'node:crypto'
import type { OutgoingMessage } from '../kind.ts'
import { createTimeOf } from '../message-time.ts'
import type { ReadMessage } from '../tables/read-rows.ts'
import type { RecordRow } from '../tables/rows.ts'

/** Values by column, in the order of the columns. Times are dates; what was left out has no value. */
export type FileRow = Record<string, unknown>

/** The table of messages that are not about records, or not only. */
export const messagesTable = '_mortise_messages'

/** Rows of one table. */
export interface TableRows {
  table: string
  rows: FileRow[]
}

/**
 * Returns the rows that files get of a message: those of its records, and the message itself if it is kept.
 *
 * @param rawText writes a raw record. It is text in every format, so that its type is the same in every file.
 */
export function fileRowsOf(
  { message, body, rows: { records, isKept } }: Pick<ReadMessage, 'message' | 'body' | 'rows'>,
  rawText: (raw: unknown) => string = JSON.stringify,
): TableRows[] {
  const time = createTimeOf(message)
  const tables: TableRows[] = []
  const [first] = records
  if (first) tables.push({ table: first.table, rows: records.map((record) => rowOf(record, time, rawText)) })
  const { id, kind, eventType } = message
  if (isKept)
    tables.push({ table: messagesTable, rows: [{ id, kind, event_type: eventType ?? null, created_at: time, body }] })
  return tables
}

function rowOf(record: RecordRow, time: Date, rawText: (raw: unknown) => string): FileRow {
  return {
    _mortise_group: record.group,
    _mortise_provider: record.provider,
    _mortise_workspace: record.workspace,
    _mortise_id: record.id,
    _mortise_installation: record.installation,
    _mortise_message: record.message,
    _mortise_read_at: time,
    _mortise_deleted_at: record.isDeleted ? time : null,
    _mortise_raw: record.raw === undefined ? null : rawText(record.raw),
    ...record.values,
  }
}

/** Names a batch after its messages: a batch that is sent again has the same name. */
export function batchNameOf(messages: readonly Pick<OutgoingMessage, 'id'>[]): string {
  const hash = createHash('sha256')
  for (const { id } of messages) hash.update(id)
  return hash.digest('hex').slice(0, 16)
}
