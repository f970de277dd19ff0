import type { Connection } from 'mysql2/promise'
import { groupPlaceholder } from '../group-ref.ts'
import type { SendResult } from '../kind.ts'
import { type CheckError, type CheckStep, faultResult, refusedStep } from '../tables/check-steps.ts'
import type { Deletions } from '../tables/record-removals.ts'
import { findFaults, ownTables, tablesOf } from './find-faults.ts'
import { type Insertion, keepOf, markOf, mergeOf } from './merge.ts'
import { isServerError } from './mysql-connection.ts'
import { loadColumns } from './mysql-database.ts'
import { refusalOf } from './refusal.ts'
import { findRemovals, forgetRemovals, rememberRemovals, removeRecords } from './removals.ts'
import { type TablePlace, tableName } from './table-place.ts'

/**
 * Runs the statements of a delivery without rows, and creates nothing: MySQL takes no creation of a table back.
 *
 * @param options.database of each group, with the placeholder; undefined for that of the connection
 */
export async function checkTables(
  client: Connection,
  { database, deletions, shown }: { database: string | undefined; deletions: Deletions; shown: string },
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
  const faults = await findFaults(client, prefix)
  if (faults.length > 0) return faultResult(faults)
  const steps = (await tablesOf(client, prefix)).flatMap((place) => stepsOf(client, place, deletions))
  return (await refusedStep(steps, server)) ?? { outcome: 'delivered' }
}

function stepsOf(client: Connection, place: TablePlace, deletions: Deletions): CheckStep[] {
  const table = place.database === undefined ? place.table : `${place.database}.${place.table}`
  const write = { what: `write the table ${table}`, table, run: () => writeNothing(client, place) }
  if (Object.values(ownTables).includes(place.table)) return [write]
  const name = tableName(place)
  const add = {
    what: `add columns to the table ${table}: grant alter on it`,
    table,
    run: () => alterNothing(client, name),
  }
  const remove = {
    what: `remove rows from the table ${table}: grant delete on it`,
    table,
    run: () => client.execute(removeRecords(name, 1), [null, null, null, null, null]),
  }
  return [write, add, ...(deletions === 'hard' ? [remove] : [])]
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
  if (place.table === ownTables.removals) {
    await client.execute(findRemovals(name, 1), [null])
    await client.execute(forgetRemovals(name), [null, null])
    await client.query(withoutRows(rememberRemovals(name, [])))
    return
  }
  const insertions =
    place.table === ownTables.messages ? [keepOf(name, [])] : [mergeOf(name, columns, []), markOf(name, [])]
  for (const insertion of insertions)
    try {
      await client.query(withoutRows(insertion))
    } catch (error) {
      // MariaDB says so of such a statement also where a trigger fills the column.
      if (!isServerError(error) || error.errno !== noDefault) throw error
    }
}

/** The server checks the permission to change a table before it finds that it has no such column. */
async function alterNothing(client: Connection, table: string): Promise<void> {
  try {
    await client.query(`alter table ${table} alter column ${missingName} drop default`)
  } catch (error) {
    if (!isServerError(error) || error.errno !== unknownColumn) throw error
  }
}

function withoutRows({ start, width, end }: Insertion): string {
  return `${start} select ${Array.from({ length: width }, () => 'null').join(', ')} from dual where false ${end}`
}

/** There is no such database, or no such table. */
const isMissing = new Set([1049, 1146])
const unknownColumn = 1054
/** A column without a default has no value. */
const noDefault = 1364
const noPermission = new Set([1044, 1142, 1143, 1227, 1370])
