import { chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { readPostmasterFile } from '../../packages/server/src/kernel/db/embedded/holder.ts'
import { canEnter, probe } from '../../packages/server/src/kernel/db/embedded/probe.ts'
import { systemUsers, unprivilegedUser } from '../../packages/server/src/kernel/db/embedded/system-user.ts'
import { spawnWatched } from '../../packages/server/src/kernel/db/embedded/watched-process.ts'
import { within } from '../../packages/server/src/kernel/db/embedded/within.ts'

/** A PostgreSQL that runs for a benchmark. Its superuser is `postgres`, without a password. */
export interface BenchPostgres {
  /** Folder of its socket. */
  host: string
  port: number
  stop(): Promise<void>
}

const installed = '/usr/lib/postgresql'
const port = 5432
const readyMs = 60_000
const stopMs = 30_000

/** The programs of a stock PostgreSQL. */
export interface StockPostgres {
  bin: string
  version: string
}

/**
 * Finds the programs of stock PostgreSQLs, the newest first: in the folders of `MORTISE_STOCK_POSTGRES`, separated by
 * `:`, or where Debian's packages install them.
 */
export async function findAllStock(): Promise<StockPostgres[]> {
  const versions = await readdir(installed).catch(() => [])
  const newest = versions.filter((name) => /^\d+$/.test(name)).toSorted((a, b) => Number(b) - Number(a))
  const named = process.env['MORTISE_STOCK_POSTGRES']
  const bins = named ? named.split(':') : newest.map((name) => join(installed, name, 'bin'))
  const found: StockPostgres[] = []
  for (const bin of bins) {
    const initdb = await probe(join(bin, 'initdb'), ['--version'], undefined)
    const postgres = await probe(join(bin, 'postgres'), ['--version'], undefined)
    const version = postgres.ok && initdb.ok ? /\d+(\.\d+)?/.exec(postgres.output)?.[0] : undefined
    if (version !== undefined) found.push({ bin, version })
  }
  return found
}

/** Finds the programs of the first of them. Returns undefined where there are none. */
export async function findStock(): Promise<StockPostgres | undefined> {
  return (await findAllStock())[0]
}

/** Says where a stock PostgreSQL is looked for. */
export const noStock =
  'There is no stock PostgreSQL. Install one, such as the package postgresql of Debian (/usr/lib/postgresql/*/bin), or set MORTISE_STOCK_POSTGRES to the folder of its programs.'

/**
 * Starts a PostgreSQL with the configuration that its initdb writes, in a folder of its own. It listens on a socket
 * there, and ends with this process. `settings` go to the end of postgresql.conf.
 */
export async function startStock(
  folder: string,
  settings: Record<string, string> = {},
  which?: StockPostgres,
): Promise<BenchPostgres> {
  const stock = which ?? (await findStock())
  if (!stock) throw new Error(noStock)
  const user = process.getuid?.() === 0 ? unprivilegedUser(await systemUsers()) : undefined
  const dataDir = join(folder, 'stock')
  await mkdir(folder, { recursive: true })
  await mkdir(dataDir, { mode: 0o700 })
  if (user) await chown(dataDir, user.uid, user.gid)
  if (!(await canEnter(dataDir, user))) throw new Error(`The user ${user?.name} cannot enter ${dataDir}.`)
  const options = { user, log: () => undefined }

  const initdb = await spawnWatched(
    [join(stock.bin, 'initdb'), '-D', dataDir, '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8', '--auth=trust'],
    options,
  )
  if ((await initdb.exited) !== 0) throw new Error(`initdb failed:\n${initdb.lastLines.join('\n')}`)
  const conf = join(dataDir, 'postgresql.conf')
  const reached = { listen_addresses: '', unix_socket_directories: dataDir, port: String(port) }
  const lines = Object.entries({ ...settings, ...reached }).map(([name, value]) => `${name} = '${value}'\n`)
  await writeFile(conf, (await readFile(conf, 'utf8')) + lines.join(''))

  const server = await spawnWatched([join(stock.bin, 'postgres'), '-D', dataDir], options)
  const stop = async () => {
    server.end()
    if ((await within(stopMs, server.exited)) === undefined) process.kill(server.pid, 'SIGQUIT')
    await server.exited
  }
  const givenUpAt = performance.now() + readyMs
  while ((await readPostmasterFile(dataDir))?.state !== 'ready') {
    if (performance.now() > givenUpAt || (await within(20, server.exited)) !== undefined) {
      await stop()
      throw new Error(`The stock PostgreSQL did not start:\n${server.lastLines.join('\n')}`)
    }
    await delay(20)
  }
  return { host: dataDir, port, stop }
}
