import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer'
import type { BeginFile } from './file-writer.ts'

/**
 * Writes a Parquet file, compressed with Snappy. Each part is a row group. Each column is optional, and its type
 * follows the values of the whole file. A column without a value in any row is left out, because it has no type.
 */
export const beginParquet: BeginFile = (columns) => {
  const typed = columns.typed()
  const schema = schemaFromColumnData({
    columnData: typed.map(({ name, type }) => ({ name, type, nullable: true, data: [] })),
  })
  const bytes = new ByteWriter()
  const file = new ParquetWriter({ writer: bytes, schema })
  return {
    append(rows) {
      const columnData = typed.map(({ name, type }) => ({
        name,
        data: rows.map((row) => (type === 'STRING' ? textOf(row[name]) : (row[name] ?? null))),
      }))
      file.write({ columnData, rowGroupSize: rows.length })
    },
    finish() {
      file.finish()
      return Buffer.from(bytes.getBuffer())
    },
  }
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  return value instanceof Date ? value.toISOString() : JSON.stringify(value)
}
