import type { BatchWriteItem } from '../../connector.ts'
import { scalarText } from '../path.ts'

/** Records as the text that a job takes. */
export interface RecordRows {
  /** CSV with names in the first line. */
  text: string
  /** What identifies each row in a result, in the order of the records. */
  keys: string[]
}

interface Format {
  bytesMax: number
  idColumn: string | undefined
  emptyText: string | undefined
}

/**
 * Returns the first records as CSV, as many as fit. Returns undefined if a record cannot be a row: it has a list, an
 * object, or an empty field that the format has no text for.
 *
 * @param records after shaping: by the names of columns
 */
export function recordRows(items: readonly BatchWriteItem[], format: Format): RecordRows | undefined {
  const { bytesMax, idColumn } = format
  const names = [...new Set(items.flatMap(({ record }) => Object.keys(record)))]
  if (idColumn !== undefined && names.some((name) => name.toLowerCase() === idColumn.toLowerCase())) return undefined
  const columns = items.some(({ id }) => id !== undefined) && idColumn !== undefined ? [idColumn, ...names] : names
  if (columns.length === 0) return undefined
  const lines = [lineOf(columns)]
  let bytes = Buffer.byteLength(lines[0] ?? '')
  const keys: string[] = []
  for (const { id, record } of items) {
    const cells = columns.map((name) => {
      if (name === idColumn && id !== undefined) return id
      return Object.hasOwn(record, name) ? cellOf(record[name], format) : ''
    })
    if (!cells.every((cell) => cell !== undefined)) return undefined
    const line = lineOf(cells)
    bytes += Buffer.byteLength(line)
    if (bytes > bytesMax) break
    lines.push(line)
    keys.push(
      keyOf(
        columns.map((name, at) => [name, cells[at] ?? '']),
        format,
      ),
    )
  }
  return keys.length === 0 ? undefined : { text: lines.join(''), keys }
}

/**
 * Returns what identifies a row of a result, which repeats the columns of the upload among others. Providers trim
 * texts, and may return a cleared field as an empty one.
 *
 * @param columns the columns of the upload in small letters
 */
export function rowKey(
  row: Readonly<Record<string, unknown>>,
  columns: ReadonlySet<string>,
  format: Pick<Format, 'emptyText'>,
): string {
  const cells = Object.entries(row).filter(([name]) => columns.has(name.toLowerCase()))
  return keyOf(
    cells.map(([name, value]) => [name, scalarText(value) ?? '']),
    format,
  )
}

/** Names of the columns of such records, in small letters. */
export function columnsOf(items: readonly BatchWriteItem[], idColumn: string | undefined): Set<string> {
  const names = items.flatMap(({ record }) => Object.keys(record))
  return new Set([...names, ...(idColumn === undefined ? [] : [idColumn])].map((name) => name.toLowerCase()))
}

function keyOf(cells: readonly (readonly [name: string, text: string])[], { emptyText }: Pick<Format, 'emptyText'>) {
  const filled = cells.flatMap(([name, text]) => {
    const trimmed = text.replaceAll('\r\n', '\n').trim()
    return trimmed === '' || trimmed === emptyText ? [] : [[name.toLowerCase(), trimmed] as const]
  })
  return JSON.stringify(filled.toSorted(([one], [two]) => (one < two ? -1 : 1)))
}

function cellOf(value: unknown, { emptyText }: Format): string | undefined {
  if (value === undefined) return ''
  if (value === null || value === '') return emptyText
  const text = scalarText(value)
  // The text that clears a field cannot be a value.
  return text === emptyText ? undefined : text
}

function lineOf(cells: readonly string[]): string {
  return `${cells.map((cell) => (cell === '' ? '' : `"${cell.replaceAll('"', '""')}"`)).join(',')}\n`
}
