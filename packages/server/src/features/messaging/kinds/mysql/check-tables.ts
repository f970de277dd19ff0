import type { Connection } from 'mysql2/promise'
import { groupPlaceholder } from '../group-ref.ts'
import type { SendResult } from '../kind.ts'
import { type CheckError, checkedTablesMax, refusedStep } from '../tables/check-steps.ts'
import { type Insertion, keepOf, markOf, mergeOf } from './merge.ts'
import { isServerError } from './mysql-connection.ts'
import { loadColumns, messagesTable } from './mysql-database.ts'
import { refusalOf } from './refusal.ts'
import { type TablePlace, tableName } from './table-place.ts'

/**
 * Runs the statements of a delivery without rows, and creates nothing: MySQL takes no creation of a table back.
 *
 * @param options.database of each group, with the placeholder; undefined for that of the connection
 */
export async function checkTables(
  client: Connection,
  { database, shown }: { database: string | undefined; shown: string },
): Promise<SendResult> {
  const prefix = database?.replace(groupPlaceholder, '')
  const created = prefix === undefined ? undefined : `${prefix}${createdName}`
  const server = { shown, read: (error: unknown) => readError(error, shown) }
  const creation = {
    what: created === undefined ? 'create a table' : `create a table in databases such as ${created}`,
    table: createdName,
    run: () => createNothing(client, created),
  }
  const refused = await refusedStep([creation], server)
  if (refused) return refused
  const writes = (await tablesOf(client, prefix)).map((place) => {
    const table = place.database === undefined ? place.table : `${place.database}.${place.table}`
    return { what: `write the table ${table}`, table, run: () => writeNothing(client, place) }
  })
  return (await refusedStep(writes, server)) ?? { outcome: 'delivered' }
}

function readError(error: unknown, shown: string): CheckError | undefined {
  if (!isServerError(error)) return undefined
  return { refusal: refusalOf(error, shown), code: error.errno, isOfPermission: noPermission.has(error.errno) }
}

const createdName = '_mortise_check'
const missingName = '_mortise_check_missing'

/** The server checks the permission to create a table before it finds that the table to copy does not exist. */
async function createNothing(client: Connection, database: string | undefined): Promise<void> {
  const [made, copied] = [createdName, missingName].map((table) => tableName({ database, table }))
  try {
    await client.query(`create table ${made} like ${copied}`)
  } catch (error) {
    if (!isServerError(error) || !isMissing.has(error.errno)) throw error
  }
}

/** Permissions and columns are checked although there are no rows. */
async function writeNothing(client: Connection, place: TablePlace): Promise<void> {
  const name = tableName(place)
  const columns = await loadColumns(client, place)
  const insertions = place.table === messagesTable ? [keepOf(name, [])] : [mergeOf(name, columns, []), markOf(name, [])]
  for (const insertion of insertions) await client.query(withoutRows(insertion))
}

function withoutRows({ start, width, end }: Insertion): string {
  return `${start} select ${Array.from({ length: width }, () => 'null').join(', ')} from dual where false ${end}`
}

/** Returns the tables of messages and those with the key of records: of the database, or of those with the prefix. */
async function tablesOf(client: Connection, prefix: string | undefined): Promise<TablePlace[]> {
  const [rows] = await client.execute(
    `select if(? is null, null, table_schema) as place, table_name as name from information_schema.tables t
      where (table_schema = database() and ? is null or left(table_schema, char_length(?)) = ?)
        and table_type = 'BASE TABLE' and (table_name = ? or exists (
          select 1 from information_schema.statistics s
           where s.table_schema = t.table_schema and s.table_name = t.table_name
             and s.index_name = 'PRIMARY' and s.column_name = '_mortise_id'))
      order by 1, 2 limit ${checkedTablesMax}`,
    [prefix ?? null, prefix ?? null, prefix ?? null, prefix ?? null, messagesTable],
  )
  return (rows as { place: string | null; name: string }[]).map(({ place, name }) => ({
    database: place ?? undefined,
    table: name,
  }))
}

/** There is no such database, or no such table. */
const isMissing = new Set([1049, 1146])
const noPermission = new Set([1044, 1142, 1143, 1227, 1370])
