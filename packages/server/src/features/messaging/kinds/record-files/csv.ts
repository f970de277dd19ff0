import { stringify } from 'csv-stringify/sync'
import { type BeginFile, textWriter } from './file-writer.ts'

/** Writes CSV (RFC 4180) with a header. Objects and lists are JSON, and no value is an empty field. */
export const beginCsv: BeginFile = (columns) => {
  const names = columns.names()
  const text = (lines: readonly (readonly unknown[])[]) =>
    stringify([...lines], {
      record_delimiter: '\r\n',
      cast: {
        boolean: (value) => String(value),
        date: (value) => value.toISOString(),
        object: (value) => JSON.stringify(value),
      },
    })
  return textWriter(text([names]), (rows) => text(rows.map((row) => names.map((name) => row[name]))))
}
