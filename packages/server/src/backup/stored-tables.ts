import type pg from 'pg'
import { BackupRefused } from './problems.ts'

/** A table in a backup. */
export interface StoredTable {
  name: string
  columns: string[]
}

/**
 * Selects the tables to back up. Leaves out what the migrations create again, and unlogged tables, which may be lost:
 * the queue's wake-ups and the subscribers of streams.
 */
const tablesQuery = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   where c.relnamespace = 'mortise'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
     and c.relname not in ('kysely_migration', 'kysely_migration_lock')
   group by c.relname order by c.relname`

/** Selects the order of inserts: every foreign key whose check cannot be deferred to the end of the transaction. */
const referencesQuery = `
  select conrelid::regclass::oid::int8 as id, t.relname as "from", r.relname as "to"
    from pg_constraint join pg_class t on t.oid = conrelid join pg_class r on r.oid = confrelid
   where contype = 'f' and not condeferrable and t.relnamespace = 'mortise'::regnamespace and conrelid <> confrelid
     and not t.relispartition and not r.relispartition`

/** Returns every table with stored rows, in an order that satisfies the foreign keys. */
export async function storedTables(client: pg.Client): Promise<StoredTable[]> {
  const { rows: tables } = await client.query<StoredTable>(tablesQuery)
  const { rows: references } = await client.query<{ from: string; to: string }>(referencesQuery)
  return inOrder(tables, references)
}

function inOrder(tables: StoredTable[], references: { from: string; to: string }[]): StoredTable[] {
  const ordered: StoredTable[] = []
  const waiting = new Set(tables)
  const names = new Set(tables.map(({ name }) => name))
  while (waiting.size > 0) {
    const ready = [...waiting].filter(({ name }) => references.every(({ from, to }) => from !== name || !names.has(to)))
    if (ready.length === 0) throw new BackupRefused('The tables refer to each other in a circle.')
    for (const table of ready) {
      waiting.delete(table)
      ordered.push(table)
    }
    for (const { name } of ready) names.delete(name)
  }
  return ordered
}

/** Returns the days that have partitions, as `YYYYMMDD`. */
export async function daysWithPartitions(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ day: string }>(`
    select distinct right(child.relname, 8) as day
      from pg_inherits join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
     where parent.relnamespace = 'mortise'::regnamespace and parent.relkind = 'p' and child.relname ~ '_[0-9]{8}$'
     order by 1`)
  return rows.map(({ day }) => day)
}

/** Returns the months that have partitions of counts, as `YYYYMM`. */
export async function monthsWithPartitions(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ month: string }>(`
    select distinct right(child.relname, 6) as month
      from pg_inherits join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
     where parent.relnamespace = 'mortise'::regnamespace and parent.relkind = 'p' and child.relname ~ '_counts_[0-9]{6}$'
     order by 1`)
  return rows.map(({ month }) => month)
}
