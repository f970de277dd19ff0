import pg from 'pg'
import { first } from './first.ts'

/** Of some columns the value has to differ between projects, though it is neither an id nor bytes. */
const names = new Set(['builders.email', 'builders.idp_ref', 'claimed_domains.domain', 'projects.name'])
/** Not of projects: keys of the service, and what is gone soon. */
const left = new Set([
  'encryption_keys',
  'signing_keys',
  'watches',
  'sign_in_attempts',
  'kysely_migration',
  'kysely_migration_lock',
])

/**
 * Copies everything that the database holds, so often, as organisations and projects of their own. An id of a copy is
 * that of its original with other random bits, so that what referred to each other still does, and rows keep their
 * place in time.
 */
export async function copyAll(superuser: pg.ClientConfig, copies: number): Promise<void> {
  const client = new pg.Client({ ...superuser, options: '-c search_path=mortise' })
  await client.connect()
  try {
    await client.query(`create function pg_temp.other(id uuid, n int) returns uuid language sql immutable as $$
      select (left(id::text, 15) || right(overlay(md5(id::text || n)::uuid::text placing '8' from 20 for 1), 21))::uuid $$`)
    const { rows: columns } = await client.query<{ table: string; column: string; type: string }>(`
      select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type
        from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'mortise'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and a.attnum > 0 and not a.attisdropped order by c.relname, a.attnum`)
    // References are as they were between the originals; checking each would take minutes.
    await client.query(`set session_replication_role = 'replica'`)
    for (const [table, ofTable] of Map.groupBy(columns, ({ table }) => table)) {
      if (left.has(table)) continue
      const values = ofTable.map(({ column, type }) => {
        if (type === 'uuid') return `pg_temp.other(${column}, n)`
        if (type === 'uuid[]') return `array(select pg_temp.other(id, n) from unnest(${column}) id)`
        if (type === 'bytea' && /hash$|^id$/.test(column)) return `sha256(${column} || n::text::bytea)`
        // Bodies of messages are not what lists read.
        if (type === 'bytea') return `''::bytea`
        return names.has(`${table}.${column}`) ? `n || '-' || ${column}` : column
      })
      const into = ofTable.map(({ column }) => column).join(', ')
      await client.query(
        `insert into ${table} (${into}) select ${values.join(', ')} from ${table}, generate_series(1, ${copies}) n`,
      )
    }
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

/** Rows of a table, all projects together. */
export async function countRows(superuser: pg.ClientConfig, table: string): Promise<number> {
  const client = new pg.Client({ ...superuser, options: '-c search_path=mortise' })
  await client.connect()
  try {
    const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${table}`)
    return first(rows).count
  } finally {
    await client.end()
  }
}
