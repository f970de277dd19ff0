import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { servePart } from './part.ts'

/**
 * What a loop without a service does with the rows that the service has stored: it writes them to a table with the same
 * columns and the same key, batch after batch on one connection, each committed. It loads them before the clock runs.
 */

export interface PlainTables {
  type: 'postgres' | 'mysql'
  url: string
}

export interface PlainRows extends PlainTables {
  /** Table to load the rows from. */
  source: string
  table: string
  /** Rows of one statement. */
  batchRows: number
}

type Value = string | null

interface Writer {
  /** Loads all rows, with their columns in the order of the table. */
  load(source: string): Promise<Value[][]>
  write(table: string, rows: readonly Value[][]): Promise<void>
  close(): Promise<void>
}

async function run({ type, url, source, table, batchRows }: PlainRows): Promise<{ rows: number; ms: number }> {
  const writer = type === 'postgres' ? await openPostgres(url) : await openMysql(url)
  try {
    const rows = await writer.load(source)
    globalThis.gc?.()
    const began = performance.now()
    for (let at = 0; at < rows.length; at += batchRows) await writer.write(table, rows.slice(at, at + batchRows))
    return { rows: rows.length, ms: performance.now() - began }
  } finally {
    await writer.close()
  }
}

/** Every value as the text that PostgreSQL writes, and that `copy` reads. */
const asText = { getTypeParser: () => (text: string) => text }

async function openPostgres(url: string): Promise<Writer> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    async load(source) {
      const query = { text: `select * from ${source}`, rowMode: 'array' as const, types: asText }
      return (await client.query<Value[]>(query)).rows
    },
    async write(table, rows) {
      const copy = client.query(copyFrom(`copy ${table} from stdin`))
      if (!copy.write(rows.map(copyLine).join(''))) await once(copy, 'drain')
      copy.end()
      await finished(copy)
    },
    close: () => client.end(),
  }
}

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function copyLine(row: readonly Value[]): string {
  const values = row.map((value) =>
    value === null ? '\\N' : value.replace(/[\\\n\r\t]/g, (found) => escapes[found] ?? ''),
  )
  return `${values.join('\t')}\n`
}

async function openMysql(url: string): Promise<Writer> {
  const client = await createConnection({ uri: url, dateStrings: true, charset: 'utf8mb4' })
  return {
    async load(source) {
      const [rows] = await client.query({
        sql: `select * from ${source}`,
        rowsAsArray: true,
        typeCast: (field) => field.string(),
      })
      return rows as Value[][]
    },
    async write(table, rows) {
      await client.query(`insert into ${table} values ?`, [rows])
    },
    close: () => client.end(),
  }
}

servePart({ run })
