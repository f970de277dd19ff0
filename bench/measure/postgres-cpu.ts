import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'

/** Ticks of processor time a second, as Linux reports them to programs on every platform. */
const ticksPerSecond = 100

/** Finds the first process of the server of a superuser's connection. */
export async function postmasterOf(superuser: pg.Client): Promise<number> {
  const { rows } = await superuser.query<{ file: string }>(`select pg_read_file('postmaster.pid') as file`)
  const pid = Number(rows[0]?.file.split('\n', 1)[0])
  if (!Number.isInteger(pid)) throw new Error('The server has no postmaster.pid.')
  return pid
}

/** Milliseconds of processor time that a PostgreSQL on this machine has used: all its processes, also ended ones. */
export async function postgresCpuMs(postmaster: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const all = await Promise.all(
    pids.map(async (pid) => ticksOf(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))),
  )
  const ticks = all.reduce((sum, one) => {
    if (one === undefined) return sum
    if (one.pid === postmaster) return sum + one.own + one.ofEnded
    return one.parent === postmaster ? sum + one.own : sum
  }, 0)
  return (ticks / ticksPerSecond) * 1000
}

function ticksOf(stat: string): { pid: number; parent: number; own: number; ofEnded: number } | undefined {
  // The name of the program may contain anything; it ends with the last parenthesis.
  const end = stat.lastIndexOf(')')
  if (end < 0) return undefined
  const fields = stat.slice(end + 2).split(' ')
  const at = (index: number) => Number(fields[index])
  return { pid: Number.parseInt(stat, 10), parent: at(1), own: at(11) + at(12), ofEnded: at(13) + at(14) }
}
