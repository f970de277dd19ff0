import type { Client } from 'pg'

/** Types that this kind gives to columns. Users may change a column to another type. */
type ColumnType = 'boolean' | 'numeric' | 'text' | 'jsonb'

/** The columns of a table by name. */
export type Columns = Map<string, Column>

interface Column {
  /** As PostgreSQL writes it. */
  type: string
  /** Whether this kind added it, for a field. Users may add others. */
  isField: boolean
}

/** The comment of a column that this kind added. */
const fieldComment = 'Field of Mortise'

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

/** Returns the type of a column that can store a value; undefined for null, which says nothing. */
function typeOf(value: unknown): ColumnType | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number') return 'numeric'
  return typeof value === 'string' ? 'text' : 'jsonb'
}

/** Whether a column must become text for a value. Text takes everything, and so does jsonb. */
function needsText(type: string, value: ColumnType): boolean {
  return (type === 'boolean' || type === 'numeric') && type !== value
}

/** Returns the columns that rows need in addition to those of a table, and those that need another type. */
export function missingColumns(columns: Columns, rows: readonly Record<string, unknown>[]): Map<string, ColumnType> {
  const needed = new Map<string, ColumnType>()
  for (const row of rows)
    for (const [name, value] of Object.entries(row)) {
      const type = typeOf(value)
      if (type === undefined) continue
      const known = needed.get(name) ?? columns.get(name)?.type
      const wanted = known === undefined || needsText(known, type) ? (known === undefined ? type : 'text') : undefined
      if (wanted === undefined) continue
      if (known === undefined && columns.size + needed.size >= columnsMax) continue
      needed.set(name, wanted)
    }
  return needed
}

/** Loads the columns of a table. Empty if there is none. */
export async function loadColumns(client: Client, table: string): Promise<Columns> {
  const { rows } = await client.query<Column & { name: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type,
            coalesce(col_description(attrelid, attnum) = $2, false) as "isField"
       from pg_attribute where attrelid = to_regclass($1) and attnum > 0 and not attisdropped`,
    [table, fieldComment],
  )
  return new Map(rows.map(({ name, type, isField }) => [name, { type, isField }]))
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
  rows: readonly Record<string, unknown>[],
): Promise<Columns> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`mortise ${table}`])
  const before = await loadColumns(client, table)
  if (before.size === 0) await client.query(`create table ${table} (${ownColumns.join(', ')})`)
  const columns = before.size === 0 ? await loadColumns(client, table) : before
  const needed = missingColumns(columns, rows)
  if (needed.size === 0) return columns
  const changes = [...needed].map(([name, type]) =>
    columns.has(name)
      ? `alter column ${quoted(name)} type ${type} using ${quoted(name)}::${type}`
      : `add column ${quoted(name)} ${type}`,
  )
  const comments = [...needed].map(([name]) => `comment on column ${table}.${quoted(name)} is '${fieldComment}'`)
  await client.query([`alter table ${table} ${changes.join(', ')}`, ...comments].join(';'))
  return new Map([...columns, ...[...needed].map(([name, type]) => [name, { type, isField: true }] as const)])
}

/** The table of messages that are not about records, or not only. */
export async function prepareMessages(client: Client, table: string): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`mortise ${table}`])
  await client.query(`create table if not exists ${table}
    (id uuid primary key, kind text not null, event_type text, created_at timestamptz not null, body jsonb not null)`)
}
