import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { first } from './first.ts'

/** What a PostgreSQL of ours has done and holds. */
export interface DatabaseCosts {
  /** Processor time of all its processes, in milliseconds. */
  cpuMs: number
  transactions: number
  /** Bytes written to its log. */
  logBytes: number
  /** Bytes of the database on disk. */
  diskBytes: number
}

/** Milliseconds of a tick of /proc. */
const tickMs = 10

export async function databaseCosts(superuser: pg.ClientConfig): Promise<DatabaseCosts> {
  const client = new pg.Client(superuser)
  await client.connect()
  try {
    const { rows } = await client.query<Record<'transactions' | 'log' | 'disk', string>>(`
      select xact_commit::text as transactions, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as log,
             pg_database_size(current_database())::text as disk
        from pg_stat_database where datname = current_database()`)
    const { transactions, log, disk } = first(rows)
    return {
      cpuMs: await processorTime(await postmasterOf(superuser)),
      transactions: Number(transactions),
      logBytes: Number(log),
      diskBytes: Number(disk),
    }
  } finally {
    await client.end()
  }
}

/** The process that listens on the socket. */
async function postmasterOf({ host, port }: pg.ClientConfig): Promise<number> {
  const lock = await readFile(join(String(host), `.s.PGSQL.${port}.lock`), 'utf8')
  return Number(lock.split('\n')[0])
}

/** Processor time of a process, of its children, and of its children that have ended. */
async function processorTime(pid: number): Promise<number> {
  let ticks = 0
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')
    // After the name in parentheses: state, parent, …; fields 14 to 17 are user, system, and those of ended children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number)
    if (Number(entry) === pid) ticks += (user ?? 0) + (system ?? 0) + (endedUser ?? 0) + (endedSystem ?? 0)
    else if (Number(fields[1]) === pid) ticks += (user ?? 0) + (system ?? 0)
  }
  return ticks * tickMs
}
