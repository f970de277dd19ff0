import { parquetWriteBuffer } from 'hyparquet-writer'
import { columnsOf } from './columns.ts'
import type { FileRow } from './file-rows.ts'

type ColumnType = 'BOOLEAN' | 'DOUBLE' | 'TIMESTAMP' | 'STRING'

/**
 * Writes a Parquet file, compressed with Snappy. Each column is optional. Its type follows its values: a column with
 * values of several types is text. A column without a value in any row is left out, because it has no type.
 */
export function toParquet(rows: readonly FileRow[]): Buffer {
  const columnData = columnsOf(rows).flatMap((name) => {
    const values = rows.map((row) => row[name] ?? null)
    const type = typeOfAll(values)
    return type === undefined
      ? []
      : [{ name, type, nullable: true, data: type === 'STRING' ? values.map(textOf) : values }]
  })
  return Buffer.from(parquetWriteBuffer({ columnData }))
}

function typeOfAll(values: readonly unknown[]): ColumnType | undefined {
  let found: ColumnType | undefined
  for (const value of values) {
    if (value === null) continue
    const type = typeOf(value)
    if (type === 'STRING' || (found !== undefined && found !== type)) return 'STRING'
    found = type
  }
  return found
}

function typeOf(value: unknown): ColumnType {
  if (typeof value === 'boolean') return 'BOOLEAN'
  if (typeof value === 'number') return 'DOUBLE'
  return value instanceof Date ? 'TIMESTAMP' : 'STRING'
}

function textOf(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value
  return value instanceof Date ? value.toISOString() : JSON.stringify(value)
}
