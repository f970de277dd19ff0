import { createHash } from 'node:crypto'
import type { OutgoingMessage, SenderServices, SendResult } from '../kind.ts'
import { createTimeOf } from '../message-time.ts'
import { readRows } from '../tables/read-rows.ts'
import type { MessageRows, RecordRow } from '../tables/rows.ts'

/** Values by column, in the order of the columns. Times are dates; what was left out has no value. */
export type FileRow = Record<string, unknown>

/** The table of messages that are not about records, or not only. */
export const messagesTable = '_mortise_messages'

/** A message with the rows that files get of it. */
export interface RowsOfMessage {
  message: OutgoingMessage
  body: object
  /** Size of what was read. */
  bytes: number
  rows: { table: string; row: FileRow }[]
}

/** Reads a message, and its result where that is not in it. */
export async function fileRowsOf(
  message: OutgoingMessage,
  services: Pick<SenderServices, 'loadResult'>,
): Promise<RowsOfMessage | SendResult> {
  const read = await readRows(message, services)
  return 'outcome' in read ? read : { ...read, rows: rowsFor(message, read.body, read.rows) }
}

function rowsFor(message: OutgoingMessage, body: object, { records, isKept }: MessageRows): RowsOfMessage['rows'] {
  const time = createTimeOf(message)
  const rows = records.map((record) => ({ table: record.table, row: rowOf(record, time) }))
  if (!isKept) return rows
  const { id, kind, eventType } = message
  return [...rows, { table: messagesTable, row: { id, kind, event_type: eventType ?? null, created_at: time, body } }]
}

function rowOf(record: RecordRow, time: Date): FileRow {
  return {
    _mortise_group: record.group,
    _mortise_provider: record.provider,
    _mortise_workspace: record.workspace,
    _mortise_id: record.id,
    _mortise_installation: record.installation,
    _mortise_message: record.message,
    _mortise_read_at: time,
    _mortise_deleted_at: record.isDeleted ? time : null,
    // As text in every format, so that its type is the same in every file.
    _mortise_raw: record.raw === undefined ? null : JSON.stringify(record.raw),
    ...record.values,
  }
}

/** Names a batch after its messages: a batch that is sent again has the same name. */
export function batchNameOf(messages: readonly Pick<OutgoingMessage, 'id'>[]): string {
  const hash = createHash('sha256')
  for (const { id } of messages) hash.update(id)
  return hash.digest('hex').slice(0, 16)
}
