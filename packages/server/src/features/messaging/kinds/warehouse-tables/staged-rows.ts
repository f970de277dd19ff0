import { partsOf } from '../in-parts.ts'
import { createTimeOf } from '../message-time.ts'
import type { Column, Columns } from '../tables/columns.ts'
import { cleanText, jsonText } from '../tables/json-text.ts'
import { removalKey } from '../tables/record-removals.ts'
import { type RecordRow, valueAt } from '../tables/rows.ts'
import type { KeptMessage, Removal } from '../tables/table-database.ts'
import { utcText } from '../tables/utc-text.ts'

/** A column of a statement, and the name that its values have in staged rows: one that needs no quotes anywhere. */
export interface StagedColumn {
  name: string
  key: string
  column: Column
}

/** A row as JSON: all values are text, and the warehouse converts them. Null values are left out. */
export type StagedRow = Record<string, string>

/** The parts of the key. */
export const keyColumns = [
  ['_mortise_group', 'k_group'],
  ['_mortise_provider', 'k_provider'],
  ['_mortise_workspace', 'k_workspace'],
  ['_mortise_id', 'k_id'],
] as const

/** Writes rows as arrays of JSON with at most some bytes each. A row that exceeds them is an array. */
export function stagedArrays(rows: readonly StagedRow[], bytesMax: number): string[] {
  return stagedParts(rows, { bytesMax }).map((texts) => `[${texts.join()}]`)
}

/** Writes rows as JSON, in parts with at most some bytes and rows. */
export function stagedParts(
  rows: readonly Record<string, unknown>[],
  { bytesMax, countMax = Number.POSITIVE_INFINITY }: { bytesMax: number; countMax?: number },
): string[][] {
  const sized = rows.map((row) => JSON.stringify(row)).map((text) => ({ text, bytes: Buffer.byteLength(text) + 1 }))
  return partsOf(sized, { bytesMax, countMax }).map((part) => part.map(({ text }) => text))
}

/** Columns that a statement writes: those of fields, to null where a row has no value, and others that have one. */
export function stagedColumns(
  columns: Columns,
  rows: readonly RecordRow[],
  isWritable: (column: Column) => boolean = () => true,
): StagedColumn[] {
  const given = new Set(rows.flatMap(({ values = {} }) => Object.keys(values)))
  return [...columns]
    .filter(([name, column]) => (column.isField || given.has(name)) && isWritable(column))
    .map(([name, column], index) => ({ name, key: `c${index}`, column }))
}

/** A row with the values of a record. */
export function stagedRecord(row: RecordRow, columns: readonly StagedColumn[]): StagedRow {
  const staged = stagedKey(row)
  if (row.raw !== undefined && row.raw !== null) staged['v_raw'] = jsonText(row.raw)
  for (const { name, key, column } of columns) {
    const text = textOf(valueAt(row.values, name), column)
    if (text !== undefined) staged[key] = text
  }
  return staged
}

/** A row that marks a record as deleted, or records an event without the record. */
export function stagedMark(row: RecordRow): StagedRow {
  return { ...stagedKey(row), ...(row.isDeleted && { v_deleted_at: timeOf(row.message) }) }
}

/** A row of the table of messages. */
export function stagedMessage({ id, kind, eventType, body }: KeptMessage): StagedRow {
  return {
    ...{ k_id: id, v_kind: kind, v_created_at: timeOf(id), v_body: jsonText(body) },
    ...(eventType !== undefined && { v_event_type: eventType }),
  }
}

/** A row with the key of its record in the table of removals, which statements look up. */
export function withRecordKey(staged: StagedRow, row: RecordRow): StagedRow {
  return { ...staged, k_record: removalKey(row) }
}

/** A row of the table of removals. */
export function stagedRemoval({ key, message }: Removal): StagedRow {
  return { k_record: key, v_message: message, v_deleted_at: timeOf(message) }
}

function stagedKey({ group, provider, workspace, id, installation, message }: RecordRow): StagedRow {
  return {
    k_group: cleanText(group),
    k_provider: cleanText(provider),
    k_workspace: cleanText(workspace),
    k_id: cleanText(id),
    ...(installation !== '' && { v_installation: cleanText(installation) }),
    v_message: message,
    v_read_at: timeOf(message),
  }
}

/** When a message was created, as every warehouse reads it. */
export function timeOf(message: string): string {
  return timeText(createTimeOf({ id: message }))
}

/** A time, as every warehouse reads it. */
export function timeText(time: Date): string {
  return time.toISOString().replace('Z', '+00:00')
}

/** A value as text, which the warehouse converts to the type of its column. */
export function textOf(value: unknown, { stores }: Column): string | undefined {
  if (value === null || value === undefined) return undefined
  if (stores === 'json') return jsonText(value)
  if (typeof value === 'string') return (stores === 'datetime' && isoText(value)) || cleanText(value)
  return typeof value === 'object' ? jsonText(value) : String(value)
}

function isoText(text: string): string | undefined {
  const utc = utcText(text)
  return utc && `${utc.replace(' ', 'T')}+00:00`
}
