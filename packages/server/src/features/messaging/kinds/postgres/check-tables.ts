import type { Client } from 'pg'
import { groupPlaceholder } from '../group-ref.ts'
import type { SendResult } from '../kind.ts'
import { type CheckError, checkedTablesMax, refusedStep } from '../tables/check-steps.ts'
import { insertMessages, markRecords, mergeRecords } from './merge.ts'
import { isServerError } from './postgres-connection.ts'
import { messagesTable } from './postgres-database.ts'
import { refusalOf } from './refusal.ts'
import { loadColumns, prepareSchema, prepareTable, quoted } from './table.ts'

/** Schema and table that a check creates and takes back. Those of objects have other names. */
const createdName = '_mortise_check'

interface Found {
  schema: string
  name: string
}

/**
 * Runs the statements of a delivery without rows, in a transaction that is rolled back: creates a table, and writes to
 * the tables that are there. A schema for each group is created, too.
 *
 * @param options.schema as it is set, perhaps with the placeholder of groups
 */
export async function checkTables(
  client: Client,
  { schema, shown, timeoutMs }: { schema: string; shown: string; timeoutMs: number },
): Promise<SendResult> {
  const isByGroup = schema.includes(groupPlaceholder)
  const created = isByGroup ? createdName : schema
  const server = { shown, read: (error: unknown) => readError(error, shown) }
  const creations = [
    ...(isByGroup ? [{ what: 'create a schema', run: () => prepareSchema(client, created) }] : []),
    {
      what: `create a table in the schema ${created}`,
      run: () => prepareTable(client, `${quoted(created)}.${quoted(createdName)}`, [], new Map()),
    },
  ]
  await client.query(`begin; set local statement_timeout = ${Math.ceil(timeoutMs)}; set local lock_timeout = 10000`)
  try {
    const refused = await refusedStep(creations, server)
    if (refused) return refused
    const writes = (await tablesOf(client, schema, isByGroup)).map((found) => {
      const table = `${found.schema}.${found.name}`
      return { what: `write the table ${table}`, table, run: () => writeNothing(client, found) }
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
async function writeNothing(client: Client, { schema, name }: Found): Promise<void> {
  const table = `${quoted(schema)}.${quoted(name)}`
  if (name === messagesTable) return insertMessages(client, table, [])
  await mergeRecords(client, table, await loadColumns(client, table), [])
  await markRecords(client, table, [])
}

/** Returns the tables of messages and those with the key of records. A copy without a key is not written. */
async function tablesOf(client: Client, schema: string, isByGroup: boolean): Promise<Found[]> {
  const { rows } = await client.query<Found>(
    `select n.nspname as schema, c.relname as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relispartition and c.relname <> $3
        and (n.nspname = $1 or ($2::text is not null and starts_with(n.nspname, $2)))
        and (c.relname = $4 or exists (
          select from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
           where i.indrelid = c.oid and i.indisprimary and a.attname = '_mortise_id'))
      order by 1, 2 limit ${checkedTablesMax}`,
    [schema, isByGroup ? schema.replace(groupPlaceholder, '') : null, createdName, messagesTable],
  )
  return rows
}

/** insufficient_privilege */
const noPermission = '42501'
