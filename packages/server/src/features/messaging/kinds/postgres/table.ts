import type { Client } from 'pg'
import {
  type Column,
  type Columns,
  type DeclaredTypes,
  fieldComment,
  missingColumns,
  type StoredType,
  typeInComment,
  type Values,
} from '../tables/columns.ts'

/** Types of columns, as PostgreSQL writes them. */
const columnTypes: Record<StoredType, string> = {
  boolean: 'boolean',
  integer: 'bigint',
  number: 'numeric',
  date: 'date',
  datetime: 'timestamp with time zone',
  text: 'text',
  json: 'jsonb',
}

const ownColumns = [
  '_mortise_group text not null',
  '_mortise_provider text not null',
  "_mortise_workspace text not null default ''",
  '_mortise_id text not null',
  '_mortise_installation uuid',
  '_mortise_message uuid not null',
  '_mortise_read_at timestamptz not null',
  '_mortise_deleted_at timestamptz',
  '_mortise_raw jsonb',
  'primary key (_mortise_group, _mortise_provider, _mortise_workspace, _mortise_id)',
]

/** A table has at most 1,600 columns (PostgreSQL, appendix K). Fields beyond these are in the raw record alone. */
const columnsMax = 1_200

/** Quotes a name. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Returns the columns that rows need in addition to those of a table, and those that need another type. */
export function missing(columns: Columns, rows: readonly Values[], declared: DeclaredTypes): Map<string, StoredType> {
  return missingColumns(columns, rows, declared, (needed) => columns.size + needed.size < columnsMax)
}

/**
 * Creates a schema that does not exist. Where it exists, its role need not be permitted to create one. Two senders wait
 * for each other.
 */
export async function prepareSchema(client: Client, schema: string): Promise<void> {
  const exists = async () =>
    (await client.query('select from pg_namespace where nspname = $1', [schema])).rows.length > 0
  if (await exists()) return
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`schema of mortise ${schema}`])
  if (!(await exists())) await client.query(`create schema ${quoted(schema)}`)
}

/** Loads the columns of a table. Empty if there is none. */
export async function loadColumns(client: Client, table: string): Promise<Columns> {
  const { rows } = await client.query<{ name: string; type: string; comment: string | null; isGenerated: boolean }>(
    `select attname as name, format_type(atttypid, atttypmod) as type, col_description(attrelid, attnum) as comment,
            attgenerated <> '' or attidentity = 'a' as "isGenerated"
       from pg_attribute where attrelid = to_regclass($1) and attnum > 0 and not attisdropped`,
    [table],
  )
  return new Map(
    rows.map(({ name, type, comment, isGenerated }) => {
      const given = typeInComment(comment)
      const isOurs = given !== undefined && columnTypes[given] === type && !isGenerated
      return [name, { type, stores: isOurs ? given : undefined, isField: given !== undefined, isGenerated }]
    }),
  )
}

/**
 * Creates a table, and the columns that rows need. Others see the table before or after, and never in between. Two
 * senders wait for each other.
 *
 * @returns the columns of the table afterward
 */
export async function prepareTable(
  client: Client,
  table: string,
  rows: readonly Values[],
  declared: DeclaredTypes,
): Promise<Columns> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`mortise ${table}`])
  const before = await loadColumns(client, table)
  if (before.size === 0) await client.query(`create table ${table} (${ownColumns.join(', ')})`)
  const columns = before.size === 0 ? await loadColumns(client, table) : before
  const needed = missing(columns, rows, declared)
  if (needed.size === 0) return columns
  const changes = [...needed].map(([name, stores]) => {
    const type = columnTypes[stores]
    const old = columns.get(name)?.stores
    return old === undefined
      ? `add column ${quoted(name)} ${type}`
      : `alter column ${quoted(name)} type ${type} using ${converted(quoted(name), old, type)}`
  })
  const comments = [...needed].map(
    ([name, stores]) => `comment on column ${table}.${quoted(name)} is '${fieldComment(stores)}'`,
  )
  await client.query([`alter table ${table} ${changes.join(', ')}`, ...comments].join(';'))
  const changed = [...needed].map(
    ([name, stores]) => [name, { type: columnTypes[stores], stores, isField: true }] as const,
  )
  return new Map<string, Column>([...columns, ...changed])
}

/** The expression that converts a column. Times become what they were in messages, except that they are in UTC. */
function converted(name: string, from: StoredType, type: string): string {
  return from === 'datetime'
    ? `to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
    : `${name}::${type}`
}

/** The table of messages that are not about records, or not only. */
export async function prepareMessages(client: Client, table: string): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`mortise ${table}`])
  await client.query(`create table if not exists ${table}
    (id uuid primary key, kind text not null, event_type text, created_at timestamptz not null, body jsonb not null)`)
}
