import { stringify } from 'csv-stringify/sync'
import { columnsOf } from './columns.ts'
import type { FileRow } from './file-rows.ts'

/** Writes CSV (RFC 4180) with a header. Objects and lists are JSON, and no value is an empty field. */
export function toCsv(rows: readonly FileRow[]): Buffer {
  const columns = columnsOf(rows)
  const text = stringify(
    rows.map((row) => columns.map((name) => row[name])),
    {
      header: true,
      columns,
      record_delimiter: '\r\n',
      cast: {
        boolean: (value) => String(value),
        date: (value) => value.toISOString(),
        object: (value) => JSON.stringify(value),
      },
    },
  )
  return Buffer.from(text)
}
