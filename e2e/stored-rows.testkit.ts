import pg from 'pg'

/** Looks at everything that a service stored, as the owner of the database. */
export interface StoredRows {
  /** Differs when any row of any table was added, changed or removed since. */
  fingerprint(): Promise<string>
  /** Every row of every table, queue included, as text: `table`, `column`, `text` (bytes as Latin 1). */
  dump(): Promise<StoredValue[]>
  close(): Promise<void>
}

export interface StoredValue {
  table: string
  column: string
  text: string
}

export async function openStoredRows(url: string): Promise<StoredRows> {
  const client = new pg.Client({ connectionString: url })
  // The server ends the connections of a dropped database.
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ name: string; ours: boolean }>(`
    select c.oid::regclass::text as name, n.nspname = 'mortise' as ours
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^(pg_|information_schema)'
     order by 1`)
  if (!rows.some(({ name }) => name === 'mortise.connections')) throw new Error('the tables are not where they were')
  const tables = rows.map(({ name }) => name)
  // The queue looks after its own tables all the time: of them only the number of jobs counts.
  // Attempts to sign in are counted because they are refused.
  // Nodes report which encryption keys they hold.
  // Who follows a stream is written down a little after it has opened, and again while it is open.
  const uncounted = ['mortise.sign_in_attempts', 'mortise.watches', 'mortise.encryption_key_nodes']
  const ours = rows.filter((row) => row.ours && !uncounted.includes(row.name)).map(({ name }) => name)
  const fingerprints = [
    ...ours.map((name) => `select '${name}' as name, count(*), sum(xmin::text::bigint) from ${name}`),
    ...tables
      .filter((name) => name.endsWith('.job'))
      .map((name) => `select '${name}' as name, count(*), 0 from ${name}`),
  ].join(' union all ')
  return {
    async fingerprint() {
      // Prepared once: planning it, with all partitions, takes longer than running it, and a fuzz test asks thousands
      // of times.
      const { rows } = await client.query({ name: 'fingerprint', text: fingerprints, rowMode: 'array' })
      return JSON.stringify(rows)
    },
    async dump() {
      const values: StoredValue[] = []
      for (const table of tables) {
        const { rows, fields } = await client.query({ text: `select * from ${table}`, rowMode: 'array' })
        for (const row of rows as unknown[][])
          row.forEach((value, at) => {
            if (value !== null) values.push({ table, column: fields[at]?.name ?? '', text: textOf(value) })
          })
      }
      return values
    },
    close: () => client.end(),
  }
}

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('latin1')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
