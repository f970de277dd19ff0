import { access, chmod, chown, constants, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { probe } from '../../packages/server/src/kernel/db/embedded/probe.ts'
import { systemUsers, unprivilegedUser } from '../../packages/server/src/kernel/db/embedded/system-user.ts'
import { spawnWatched } from '../../packages/server/src/kernel/db/embedded/watched-process.ts'
import { within } from '../../packages/server/src/kernel/db/embedded/within.ts'

/** A PgBouncer in transaction mode, without passwords. Its clients are the owner of the service's database. */
export interface PgBouncer {
  /** Folder of its socket. */
  host: string
  port: number
  stop(): Promise<void>
}

const programs = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer']
const port = 6432
const readyMs = 30_000
const stopMs = 5_000

/** Finds PgBouncer: `MORTISE_PGBOUNCER`, or the one of Debian's package. Returns undefined where there is none. */
export async function findPgBouncer(): Promise<{ program: string; version: string } | undefined> {
  const named = process.env['MORTISE_PGBOUNCER']
  for (const program of named ? [named] : programs) {
    const asked = await probe(program, ['--version'], undefined)
    const version = asked.ok ? /PgBouncer (\d+\.\d+)/.exec(asked.output)?.[1] : undefined
    if (version !== undefined) return { program, version }
  }
  return undefined
}

/** Says where PgBouncer is looked for. */
export const noPgBouncer =
  'There is no PgBouncer. Install one, such as the package pgbouncer of Debian, or set MORTISE_PGBOUNCER to its program.'

/**
 * Starts PgBouncer in transaction mode before a server, in a folder of its own. It listens on a socket there, and ends
 * with this process. `settings` replace its defaults. The owner must exist.
 */
export async function startPgBouncer(
  folder: string,
  server: { host: string; port: number },
  settings: Record<string, string> = {},
): Promise<PgBouncer> {
  const found = await findPgBouncer()
  if (!found) throw new Error(noPgBouncer)
  const user = process.getuid?.() === 0 ? unprivilegedUser(await systemUsers()) : undefined
  const host = join(folder, 'pgbouncer')
  await mkdir(host, { mode: 0o700 })
  const configFile = join(host, 'pgbouncer.ini')
  const lines = Object.entries({
    listen_addr: '',
    listen_port: String(port),
    unix_socket_dir: host,
    auth_type: 'any',
    pool_mode: 'transaction',
    ...settings,
  }).map(([name, value]) => `${name} = ${value}\n`)
  // The clients of `auth_type` any name no login, so the database names the one of the service.
  const databases = `* = host=${server.host} port=${server.port} user=mortise_owner\n`
  await writeFile(configFile, `[databases]\n${databases}[pgbouncer]\n${lines.join('')}`)
  await chmod(configFile, 0o600)
  if (user) for (const path of [host, configFile]) await chown(path, user.uid, user.gid)

  const pooler = await spawnWatched([found.program, configFile], { user, log: () => undefined })
  const stop = async () => {
    pooler.end()
    // It waits for clients that are connected.
    if ((await within(stopMs, pooler.exited)) === undefined) process.kill(pooler.pid, 'SIGKILL')
    await pooler.exited
  }
  const givenUpAt = performance.now() + readyMs
  while (!(await responds(host))) {
    if (performance.now() > givenUpAt || (await within(20, pooler.exited)) !== undefined) {
      await stop()
      throw new Error(`PgBouncer did not start:\n${pooler.lastLines.join('\n')}`)
    }
    await delay(20)
  }
  return { host, port, stop }
}

async function responds(host: string): Promise<boolean> {
  const socket = join(host, `.s.PGSQL.${port}`)
  if (
    !(await access(socket, constants.W_OK).then(
      () => true,
      () => false,
    ))
  )
    return false
  const client = new pg.Client({ host, port, user: 'mortise_owner', database: 'postgres' })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end()
  }
}
