import type { FileRow } from './file-rows.ts'

/** The columns of rows, in the order in which they first occur. */
export function columnsOf(rows: readonly FileRow[]): string[] {
  const names = new Set<string>()
  for (const row of rows) for (const name of Object.keys(row)) names.add(name)
  return [...names]
}
