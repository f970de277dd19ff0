import type { Connection } from 'mysql2/promise'
import type { SendResult } from '../kind.ts'
import { checkedTablesMax, checkResult, notPermitted } from '../tables/check-result.ts'
import { type Insertion, keepOf, markOf, mergeOf } from './merge.ts'
import { isServerError } from './mysql-connection.ts'
import { loadColumns, messagesTable } from './mysql-database.ts'
import { refusalOf } from './refusal.ts'

/** Runs the statements of a delivery without rows, and creates nothing: MySQL takes no creation of a table back. */
export async function checkTables(client: Connection, shown: string): Promise<SendResult> {
  /** Runs a step. Returns what the server refuses. */
  const attempt = async (what: string, step: () => Promise<unknown>, table: string) => {
    try {
      await step()
      return undefined
    } catch (error) {
      if (!isServerError(error)) throw error
      const refusal = refusalOf(error, shown)
      return noPermission.has(error.errno)
        ? notPermitted(refusal, { shown, what, code: error.errno })
        : checkResult(refusal, table)
    }
  }
  const refused = await attempt('create a table', () => createNothing(client), createdName)
  if (refused) return refused
  for (const table of await tablesOf(client)) {
    const refusal = await attempt(`write the table ${table}`, () => writeNothing(client, table), table)
    if (refusal) return refusal
  }
  return { outcome: 'delivered' }
}

const createdName = '_mortise_check'
const missingName = '_mortise_check_missing'

/** The server checks the permission to create a table before it finds that the table to copy does not exist. */
async function createNothing(client: Connection): Promise<void> {
  try {
    await client.query(`create table ${createdName} like ${missingName}`)
  } catch (error) {
    if (!isServerError(error) || error.errno !== noSuchTable) throw error
  }
}

/** Permissions and columns are checked although there are no rows. */
async function writeNothing(client: Connection, table: string): Promise<void> {
  const columns = await loadColumns(client, table)
  const insertions = table === messagesTable ? [keepOf(table, [])] : [mergeOf(table, columns, []), markOf(table, [])]
  for (const insertion of insertions) await client.query(withoutRows(insertion))
}

function withoutRows({ start, width, end }: Insertion): string {
  return `${start} select ${Array.from({ length: width }, () => 'null').join(', ')} from dual where false ${end}`
}

/** Returns the table of messages and those with the key of records. */
async function tablesOf(client: Connection): Promise<string[]> {
  const [rows] = await client.execute(
    `select table_name as name from information_schema.tables
      where table_schema = database() and table_type = 'BASE TABLE' and (table_name = ? or table_name in (
        select table_name from information_schema.statistics
         where table_schema = database() and index_name = 'PRIMARY' and column_name = '_mortise_id'))
      order by 1 limit ${checkedTablesMax}`,
    [messagesTable],
  )
  return (rows as { name: string }[]).map(({ name }) => name)
}

const noSuchTable = 1146
const noPermission = new Set([1044, 1142, 1143, 1227, 1370])
