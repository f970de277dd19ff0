import type { Connection } from 'mysql2/promise'
import { checkedTablesMax } from '../tables/check-steps.ts'
import { quoted } from './columns.ts'
import { type TablePlace, tableName } from './table-place.ts'

/** Names of tables that have no rows of records. */
export const ownTables = { messages: '_mortise_messages', removals: '_mortise_deleted' }

/** Columns that have a value in every row that Mortise inserts. */
const filled = ['group', 'provider', 'workspace', 'id', 'installation', 'message', 'read_at'].map(
  (name) => `_mortise_${name}`,
)

/** The tables of the database, or of those with a prefix: a condition with the parameters of `placeParameters`. */
const isChecked = `((t.table_schema = database() and ? is null) or left(t.table_schema, char_length(?)) = ?)
  and t.table_type = 'BASE TABLE'`
const isOfRecords = `exists (select 1 from information_schema.statistics s
  where s.table_schema = t.table_schema and s.table_name = t.table_name
    and s.index_name = 'PRIMARY' and s.column_name = '_mortise_id')`

const placeParameters = (prefix: string | undefined) => [prefix ?? null, prefix ?? null, prefix ?? null]

/** Returns the tables of messages and removals, and those with the key of records. */
export async function tablesOf(client: Connection, prefix: string | undefined): Promise<TablePlace[]> {
  const [rows] = await client.execute(
    `select if(? is null, null, t.table_schema) as place, t.table_name as name from information_schema.tables t
      where ${isChecked} and (t.table_name in (?, ?) or ${isOfRecords})
      order by 1, 2 limit ${checkedTablesMax}`,
    [prefix ?? null, ...placeParameters(prefix), ownTables.messages, ownTables.removals],
  )
  return (rows as { place: string | null; name: string }[]).map(({ place, name }) => ({
    database: place ?? undefined,
    table: name,
  }))
}

/**
 * Returns columns that would refuse a row although statements without rows succeed, in sentences with what to change.
 * A trigger may fill a column before a row is stored. MySQL shows triggers only to users with a permission for them.
 */
export async function findFaults(client: Connection, prefix: string | undefined): Promise<string[]> {
  const [rows] = await client.execute(
    `select if(? is null, null, t.table_schema) as place, t.table_name as name, c.column_name as col
       from information_schema.tables t join information_schema.columns c
         on c.table_schema = t.table_schema and c.table_name = t.table_name
      where ${isChecked} and ${isOfRecords}
        and c.is_nullable = 'NO' and c.column_default is null and c.extra not like '%auto_increment%'
        and c.extra not like '%GENERATED' and c.column_name not in (${filled.map(() => '?').join(', ')})
        and not exists (select 1 from information_schema.triggers g
          where g.event_object_schema = t.table_schema and g.event_object_table = t.table_name
            and g.action_timing = 'BEFORE' and g.event_manipulation = 'INSERT')
      order by 1, 2, c.ordinal_position limit ${checkedTablesMax}`,
    [prefix ?? null, ...placeParameters(prefix), ...filled],
  )
  return (rows as { place: string | null; name: string; col: string }[]).map(({ place, name, col }) => {
    const table = place === null ? name : `${place}.${name}`
    const quotedTable = tableName({ database: place ?? undefined, table: name })
    return `The column ${col} of the table ${table} takes no null and has no default, and Mortise does not write it in every row. Change it with: alter table ${quotedTable} modify ${quoted(col)}. If a trigger fills it: grant trigger on ${quotedTable}.`
  })
}
