import { randomBytes } from 'node:crypto'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import {
  hasMysqlServer,
  serverUrl,
} from '../../packages/server/src/features/messaging/kinds/mysql/mysql-server.testkit.ts'
import type { Receiver } from './bench-crm.ts'
import { startPart } from './part.ts'
import type { PlainTables } from './plain-rows.ts'
import { startPostgres } from './postgres.ts'

/** The table that the service writes, and its copy for the loop that has no service. */
export const tables = { written: 'contacts', plain: 'plain_contacts' }

/** A database of a user that the service writes tables of, with what the benchmark asks it. */
export interface TableTarget extends AsyncDisposable {
  name: 'postgres' | 'mysql'
  destination: Receiver
  /** How the loop without a service reaches it. */
  plain: PlainTables
  /** Whether the table has a row with this id. */
  has(id: string): Promise<boolean>
  count(table: string): Promise<number>
  /** Empties the tables that exist. Creates the copy where it is missing. */
  clear(): Promise<void>
}

/**
 * Starts a second PostgreSQL for the tables. It has no TCP port of its own, and destinations know no sockets in files:
 * a process in between passes bytes on. The loop without a service goes the same way.
 */
export async function startPostgresTables(folder: string): Promise<TableTarget> {
  const server = await startPostgres(folder)
  const front = await startPart('./tcp-front.ts', { args: [`${server.host}/.s.PGSQL.${server.port}`] })
  const port = await front.ask<number>('port')
  const client = new pg.Client({ host: server.host, port: server.port, user: 'postgres', database: 'postgres' })
  await client.connect()
  const url = `postgresql://postgres:bench@127.0.0.1:${port}/postgres?sslmode=disable`
  return {
    name: 'postgres',
    destination: { type: 'postgres', metadata: { url } },
    plain: { type: 'postgres', url: url.replace(/\?.*$/, '') },
    async has(id) {
      const { rows } = await client.query(`select 1 from ${tables.written} where _mortise_id = $1 limit 1`, [id])
      return rows.length > 0
    },
    async count(table) {
      const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${table}`)
      return rows[0]?.count ?? 0
    },
    async clear() {
      const { rows } = await client.query(`select 1 from pg_tables where tablename = '${tables.written}'`)
      if (rows.length === 0) {
        await client.query(`create schema if not exists public`)
        return
      }
      await client.query(`create table if not exists ${tables.plain} (like ${tables.written} including all)`)
      await client.query(`truncate ${tables.written}, ${tables.plain}`)
      await client.query('checkpoint')
    },
    async [Symbol.asyncDispose]() {
      await client.end()
      await front[Symbol.asyncDispose]()
      await server.stop()
    },
  }
}

/** Makes a database on the MySQL or MariaDB of this machine. Undefined where there is none. */
export async function startMysqlTables(): Promise<TableTarget | undefined> {
  if (!(await hasMysqlServer())) return undefined
  const name = `bench_${randomBytes(6).toString('hex')}`
  const password = randomBytes(12).toString('hex')
  const client = await createConnection({ uri: serverUrl })
  await client.query(`create database ${name}`)
  await client.query(`create user ${name} identified by '${password}'`)
  await client.query(`grant all on ${name}.* to ${name}`)
  await client.query(`use ${name}`)
  const { hostname, port } = new URL(serverUrl)
  const url = `mysql://${name}:${password}@${hostname}:${port || 3306}/${name}`
  const hasRow = async (sql: string, values: unknown[] = []) => {
    const [rows] = await client.query(sql, values)
    return (rows as unknown[]).length > 0
  }
  return {
    name: 'mysql',
    destination: { type: 'mysql', metadata: { url: `${url}?ssl-mode=DISABLED` } },
    plain: { type: 'mysql', url },
    has: (id) => hasRow(`select 1 from ${tables.written} where _mortise_id = ? limit 1`, [id]),
    async count(table) {
      const [rows] = await client.query(`select count(*) as count from ${table}`)
      return Number((rows as { count: number }[])[0]?.count)
    },
    async clear() {
      if (!(await hasRow(`show tables like '${tables.written}'`))) return
      await client.query(`create table if not exists ${tables.plain} like ${tables.written}`)
      await client.query(`truncate ${tables.written}`)
      await client.query(`truncate ${tables.plain}`)
    },
    async [Symbol.asyncDispose]() {
      await client.query(`drop database ${name}`)
      await client.query(`drop user ${name}`)
      await client.end()
    },
  }
}
