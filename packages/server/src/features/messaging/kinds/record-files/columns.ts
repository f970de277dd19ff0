import type { FileRow } from './file-rows.ts'

export type ColumnType = 'BOOLEAN' | 'DOUBLE' | 'TIMESTAMP' | 'STRING'

/** The columns of a file, in the order in which they first occur. Types are those of Parquet. */
export class FileColumns {
  readonly #types = new Map<string, ColumnType | undefined>()

  add(row: FileRow): void {
    for (const name of Object.keys(row)) {
      const known = this.#types.get(name)
      const type = known === 'STRING' ? known : typeOf(row[name])
      if (known === undefined) this.#types.set(name, type)
      else if (type !== undefined && type !== known) this.#types.set(name, 'STRING')
    }
  }

  names(): string[] {
    return [...this.#types.keys()]
  }

  /** The columns that have a value in any row. One with values of several types is text. */
  typed(): { name: string; type: ColumnType }[] {
    return [...this.#types].flatMap(([name, type]) => (type === undefined ? [] : [{ name, type }]))
  }
}

function typeOf(value: unknown): ColumnType | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'boolean') return 'BOOLEAN'
  if (typeof value === 'number') return 'DOUBLE'
  return value instanceof Date ? 'TIMESTAMP' : 'STRING'
}
