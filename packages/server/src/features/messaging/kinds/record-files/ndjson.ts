import { type BeginFile, textWriter } from './file-writer.ts'

/** Writes a row as JSON in each line. */
export const beginNdjson: BeginFile = () =>
  textWriter('', (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
