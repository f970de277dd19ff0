import { jsonOf } from '../http-calls.ts'
import type { MessageSource, OutgoingMessage, SenderServices, SendResult } from '../kind.ts'
import { createTimeOf } from '../message-time.ts'
import { headOf } from '../message-words.ts'
import { keyFromTemplate, sourceOf } from '../object-key.ts'
import { readAgain, readRows } from '../tables/read-rows.ts'
import type { Template } from '../template.ts'
import { FileColumns } from './columns.ts'
import { type FileRow, fileRowsOf } from './file-rows.ts'

/** A message of a batch, as it arrived: its rows are read again when they are written. */
export interface BatchMessage {
  message: OutgoingMessage
  /** The records, if they are not in the message. */
  result: Buffer | undefined
  bytes: number
  /** The folder that the template makes. */
  folder: string | undefined
}

export interface PlannedFile {
  folder: string
  table: string
  columns: FileColumns
  rows: number
}

/** Messages whose records are stored together, and the files that they go to. */
export interface Batch {
  messages: BatchMessage[]
  files: Map<string, PlannedFile>
}

/** Maximum size of the messages of a batch, unless one alone is larger. */
const batchBytesMax = 8 * 2 ** 20

/**
 * Reads messages, in batches of limited size. Of the rows, only the columns are kept. A message that cannot be read
 * gets a result.
 */
export async function* batchesOf(
  messages: readonly OutgoingMessage[],
  { template, services }: { template: Template | undefined; services: SenderServices },
  results: Map<OutgoingMessage, SendResult>,
): AsyncGenerator<Batch> {
  let batch: Batch = { messages: [], files: new Map() }
  let bytes = 0
  const origins = template === undefined ? [] : await services.originsOf(messages.map(sourceIn))
  for (const [at, message] of messages.entries()) {
    const read = await readRows(message, services)
    if ('outcome' in read) {
      results.set(message, read)
      continue
    }
    if (batch.messages.length > 0 && bytes + read.bytes > batchBytesMax) {
      yield batch
      batch = { messages: [], files: new Map() }
      bytes = 0
    }
    bytes += read.bytes
    const { result } = read
    const known = { message, data: read.body as Record<string, unknown>, origin: origins[at] }
    const folder = template && keyFromTemplate(template, known, services)
    const added = { message, result, bytes: read.bytes, folder }
    batch.messages.push(added)
    // The text of raw records has no part in the plan.
    for (const { table, rows } of fileRowsOf(read, () => '')) {
      const id = fileIdOf(added, table)
      const file = batch.files.get(id) ?? { folder: folderOf(added, table), table, columns: new FileColumns(), rows: 0 }
      batch.files.set(id, file)
      for (const row of rows) file.columns.add(row)
      file.rows += rows.length
    }
  }
  if (batch.messages.length > 0) yield batch
}

function sourceIn(message: OutgoingMessage): MessageSource {
  return sourceOf({ message, data: headOf(message.body) ?? jsonOf(message) })
}

/** Reads the rows of a message again, with the ids of their files. */
export function rowsByFile(added: BatchMessage): { id: string; rows: FileRow[] }[] {
  const tables = fileRowsOf(readAgain(added.message, added.result))
  return tables.map(({ table, rows }) => ({ id: fileIdOf(added, table), rows }))
}

function fileIdOf(message: BatchMessage, table: string): string {
  return `${table}\n${folderOf(message, table)}`
}

function folderOf({ message, folder }: BatchMessage, table: string): string {
  return folder ?? `${table}/date=${createTimeOf(message).toISOString().slice(0, 10)}`
}
