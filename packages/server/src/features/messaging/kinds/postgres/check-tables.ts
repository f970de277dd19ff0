import type { Client } from 'pg'
import { groupPlaceholder } from '../group-ref.ts'
import type { SendResult } from '../kind.ts'
import { type CheckError, faultResult, refusedStep } from '../tables/check-steps.ts'
import type { Deletions } from '../tables/record-removals.ts'
import { type CheckedTable, findFaults, ownTables, tablesOf } from './find-faults.ts'
import { insertMessages, markRecords, mergeRecords } from './merge.ts'
import { isServerError } from './postgres-connection.ts'
import { refusalOf } from './refusal.ts'
import { createRemovals, PostgresRemovals, rememberRemovals, removeRecords } from './removals.ts'
import { loadColumns, prepareSchema, prepareTable, quoted } from './table.ts'

/** Schema and table that a check creates and takes back. Those of objects have other names. */
const createdName = '_mortise_check'

/**
 * Looks for what would stop a delivery, and runs its statements without rows, in a transaction that is rolled back:
 * creates a table, and writes to the tables that are there. A schema for each group is created, too.
 *
 * @param options.schema as it is set, perhaps with the placeholder of groups
 */
export async function checkTables(
  client: Client,
  { schema, deletions, shown, timeoutMs }: { schema: string; deletions: Deletions; shown: string; timeoutMs: number },
): Promise<SendResult> {
  const isPrefix = schema.includes(groupPlaceholder)
  const created = isPrefix ? createdName : schema
  const server = { shown, read: (error: unknown) => readError(error, shown) }
  const createTable = (name: string) => `${quoted(created)}.${quoted(name)}`
  const creations = [
    ...(isPrefix ? [{ what: 'create a schema', run: () => prepareSchema(client, created) }] : []),
    {
      what: `create a table in the schema ${created}`,
      run: () => prepareTable(client, createTable(createdName), [], new Map()),
    },
    ...(deletions === 'hard'
      ? [
          {
            what: `create a table in the schema ${created}`,
            run: () => createRemovals(client, createTable(`${createdName}_deleted`)),
          },
        ]
      : []),
  ]
  await client.query(
    `begin isolation level read committed; set local statement_timeout = ${Math.ceil(timeoutMs)}; set local lock_timeout = 10000`,
  )
  try {
    const checked = { shown, schema: isPrefix ? schema.replace(groupPlaceholder, '') : schema, isPrefix, deletions }
    const faults = await findFaults(client, checked)
    if (faults.length > 0) return faultResult(faults)
    const tables = await tablesOf(client, checked)
    const refused = await refusedStep(creations, server)
    if (refused) return refused
    const writes = tables.map((found) => {
      const table = `${found.schema}.${found.name}`
      return { what: `write the table ${table}`, table, run: () => writeNothing(client, found, deletions) }
    })
    return (await refusedStep(writes, server)) ?? { outcome: 'delivered' }
  } finally {
    await client.query('rollback').catch(() => undefined)
  }
}

function readError(error: unknown, shown: string): CheckError | undefined {
  if (!isServerError(error)) return undefined
  return { refusal: refusalOf(error, shown), code: error.code, isOfPermission: error.code === noPermission }
}

/** Permissions and columns are checked although there are no rows. */
async function writeNothing(client: Client, { schema, name }: CheckedTable, deletions: Deletions): Promise<void> {
  const table = `${quoted(schema)}.${quoted(name)}`
  if (name === ownTables.messages) return insertMessages(client, table, [])
  if (name === ownTables.removals) {
    const removals = new PostgresRemovals(client, quoted(schema))
    await removals.find([])
    await removals.forget(new Date(0))
    return rememberRemovals(client, table, [])
  }
  await mergeRecords(client, table, await loadColumns(client, table), [])
  await markRecords(client, table, [])
  if (deletions === 'hard') await removeRecords(client, table, [])
}

/** insufficient_privilege */
const noPermission = '42501'
