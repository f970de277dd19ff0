import type { FileRow } from './file-rows.ts'

/** Writes a row as JSON in each line. */
export function toNdjson(rows: readonly FileRow[]): Buffer {
  return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}
