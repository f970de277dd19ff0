import { quoted } from './columns.ts'

/** A table, perhaps of another database than that of the connection. */
export interface TablePlace {
  database: string | undefined
  table: string
}

/** Returns the quoted name of a table. */
export function tableName({ database, table }: TablePlace): string {
  return database === undefined ? quoted(table) : `${quoted(database)}.${quoted(table)}`
}
