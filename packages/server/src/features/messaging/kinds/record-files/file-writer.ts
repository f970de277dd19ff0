import type { FileColumns } from './columns.ts'
import type { FileRow } from './file-rows.ts'

/** Writes a file in parts, so that only the rows of one part are in memory. */
export interface FileWriter {
  append(rows: readonly FileRow[]): void
  finish(): Buffer
}

/** Begins a file. Its columns are those of all rows. */
export type BeginFile = (columns: FileColumns) => FileWriter

/** A writer of text, whose parts are joined. */
export function textWriter(head: string, textOf: (rows: readonly FileRow[]) => string): FileWriter {
  const parts = [Buffer.from(head)]
  return {
    append(rows) {
      parts.push(Buffer.from(textOf(rows)))
    },
    finish: () => Buffer.concat(parts),
  }
}
