import { createTimeOf } from '../message-time.ts'
import { type Column, type Columns, writtenColumns } from '../tables/columns.ts'
import { jsonText } from '../tables/json-text.ts'
import { fitted, type RecordRow, valueAt } from '../tables/rows.ts'
import type { KeptMessage } from '../tables/table-database.ts'
import { utcText } from '../tables/utc-text.ts'
import { keyLengths, quoted } from './columns.ts'

/** A value of a statement. */
export type Parameter = string | number | null

/** Rows of one table, to insert or to merge. */
export interface Insertion {
  /** `insert into … (…)` */
  start: string
  /** Number of columns. */
  width: number
  /** What happens to rows that are there. */
  end: string
  rows: Parameter[][]
}

export const key = ['_mortise_group', '_mortise_provider', '_mortise_workspace', '_mortise_id']
const own = [...key, '_mortise_installation', '_mortise_message', '_mortise_read_at']

/**
 * A unique index of the user would have the row of another record updated, and this one lost. Null in a part of the key
 * is an error, which names the problem.
 */
const sameRecord = `_mortise_group = if(${key.map((name) => `${name} = values(${name})`).join(' and ')}, _mortise_group, null)`

/** The end of an insertion that updates these columns where the message is newer. MySQL assigns in this order. */
function updateOf(columns: readonly string[]): string {
  const updated = [...columns, '_mortise_installation', '_mortise_read_at', '_mortise_message']
  const changes = updated.map((name) => {
    const column = quoted(name)
    return `${column} = if(_mortise_message < values(_mortise_message), values(${column}), ${column})`
  })
  return `on duplicate key update ${[sameRecord, ...changes].join(', ')}`
}

function startOf(table: string, columns: readonly string[]): string {
  return `insert into ${table} (${columns.map(quoted).join(', ')})`
}

/** @param table quoted, as that of each of these */
export function mergeOf(table: string, columns: Columns, rows: readonly RecordRow[]): Insertion {
  const written = writtenColumns(columns, rows)
  const names = ['_mortise_deleted_at', '_mortise_raw', ...written.map(([name]) => name)]
  return {
    start: startOf(table, [...own, ...names]),
    width: own.length + names.length,
    end: updateOf(names),
    rows: rows.map((row) => [
      ...ownOf(row),
      null,
      row.raw === undefined || row.raw === null ? null : jsonText(row.raw, { keepsNul: true }),
      ...written.map(([name, column]) => parameterOf(valueAt(row.values, name), column)),
    ]),
  }
}

export function markOf(table: string, rows: readonly RecordRow[]): Insertion {
  return {
    start: startOf(table, [...own, '_mortise_deleted_at']),
    width: own.length + 1,
    end: updateOf(['_mortise_deleted_at']),
    rows: rows.map((row) => [...ownOf(row), row.isDeleted ? timeText(createTimeOf({ id: row.message })) : null]),
  }
}

export function keepOf(table: string, messages: readonly KeptMessage[]): Insertion {
  return {
    start: startOf(table, ['id', 'kind', 'event_type', 'created_at', 'body']),
    width: 5,
    end: 'on duplicate key update id = id',
    rows: messages.map(({ id, kind, eventType, body }) => [
      ...[id, kind, eventType ?? null, timeText(createTimeOf({ id }))],
      jsonText(body, { keepsNul: true }),
    ]),
  }
}

function ownOf(row: RecordRow): Parameter[] {
  const { installation, message } = row
  return [...keyOf(row), installation === '' ? null : installation, message, timeText(createTimeOf({ id: message }))]
}

/** The values of the key of a row. */
export function keyOf({ group, provider, workspace, id }: RecordRow): string[] {
  return [
    fitted(group, keyLengths.group),
    fitted(provider, keyLengths.provider),
    fitted(workspace, keyLengths.workspace),
    fitted(id, keyLengths.id),
  ]
}

const timeColumn = /^(?:datetime|timestamp)\b/

/** A value for a column. One of a type that the user chose gets the text of a value, and MySQL converts it. */
function parameterOf(value: unknown, { type, stores }: Column): Parameter {
  if (value === null || value === undefined) return null
  if (stores === 'json' || type === 'json') return jsonText(value, { keepsNul: true })
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'number') return stores === 'text' ? String(value) : value
  if (typeof value !== 'string') return jsonText(value, { keepsNul: true })
  // MySQL takes no `Z`: the session is in UTC.
  return timeColumn.test(type) ? (utcText(value) ?? value.toWellFormed()) : value.toWellFormed()
}

export function timeText(time: Date): string {
  return time.toISOString().slice(0, 23).replace('T', ' ')
}
