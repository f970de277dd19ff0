import { readFile, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Binaries, findBinaries, locatePackage } from './binaries.ts'
import { CannotRunPostgres, PostgresDidNotStart, WrongPostgresMajor } from './errors.ts'
import { forgetOwner, noteOwner, readPostmasterFile, waitUntilFree } from './holder.ts'
import { initialize } from './initialize.ts'
import { chooseLocation, type DataLocation, exists } from './place.ts'
import { socketFolder, socketPort } from './socket-folder.ts'
import { spawnWatched, type WatchedProcess } from './watched-process.ts'
import { within } from './within.ts'

/** A PostgreSQL that runs only for this process and always ends with it. */
export interface EmbeddedPostgres {
  /** Absolute folder of the socket, for `host` of a client. The superuser is `postgres`, without a password. */
  host: string
  /** Part of the socket's name; no TCP port is used. */
  port: number
  dataDir: string
  /** True when this start created the (empty) database. */
  firstStart: boolean
  /** Process id of the postmaster. */
  pid: number
  /** Stops PostgreSQL: cuts open connections, keeps what was committed. Resolves when it has ended. */
  stop(): Promise<void>
  /** Resolves when PostgreSQL has ended, through `stop` or otherwise. */
  exited: Promise<void>
}

export interface EmbeddedOptions {
  /** Mortise's folder (`.mortise`); created if missing. */
  homeDir: string
  /** PostgreSQL settings in addition to ours. The listen address cannot be changed. */
  settings?: Record<string, string>
  /** False only for tests: commits are not flushed to disk, and a power failure loses the database. */
  fsync?: boolean
  /** Receives every line that PostgreSQL writes, and messages about what the start waits for. */
  log?: (line: string) => void
  /** Folder for root's data when no other account can reach `homeDir`. */
  systemDir?: string
}

const readyPollMs = 10
/** Long enough for crash recovery, which replays at most `max_wal_size` of changes. */
const readyMs = 120_000
/** A fast shutdown first writes all changed pages. */
const fastStopMs = 30_000
const killStopMs = 5_000

const ownSettings = {
  shared_buffers: '128MB',
  max_connections: '100',
  max_wal_size: '1GB',
  min_wal_size: '80MB',
  // An embedded database has no replicas, so it writes less WAL and supports no logical subscriptions.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  synchronous_commit: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  cluster_name: 'mortise',
}
const noSync = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }

/**
 * Starts the bundled PostgreSQL on `homeDir`, creates its database on the first start, and resolves when it accepts
 * connections.
 *
 * @throws DataFolderInUse when another Mortise runs on the same data.
 * @throws WrongPostgresMajor when the data belongs to another major version; it is left unchanged.
 * @throws CannotRunPostgres when this machine, user or file system does not allow it.
 * @throws DataFolderMissing when the recorded data folder no longer exists.
 * @throws PostgresDidNotStart with PostgreSQL's own message otherwise.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log = () => {}, settings = {}, fsync = true, systemDir = '/var/lib/mortise' } = options
  const location = await chooseLocation(path.resolve(options.homeDir), systemDir)
  const binaries = await findBinaries(await locatePackage(), location.user, systemDir)
  await refuseOtherMajor(location, binaries)
  await waitUntilFree(location, log)
  const firstStart = await initialize(location, binaries, { durable: fsync, log })
  const host = await socketFolder(location.dataDir, location.user)
  const server = await spawnWatched(
    [
      path.join(binaries.bin, 'postgres'),
      ...['-D', location.dataDir],
      ...asArguments({ ...ownSettings, ...(fsync ? {} : noSync), ...settings, ...reachedBy(host) }),
    ],
    { user: location.user, log },
  )
  try {
    await untilReady(location, server, log)
  } catch (error) {
    await end(server)
    throw error
  }
  await noteOwner(location, server.pid)

  let stopping: Promise<void> | undefined
  const stop = async () => {
    await forgetOwner(location)
    await end(server)
    if (host !== location.dataDir) await rmdir(host)
  }
  return {
    host,
    port: socketPort,
    dataDir: location.dataDir,
    firstStart,
    pid: server.pid,
    stop: () => (stopping ??= stop()),
    exited: server.exited.then(() => {}),
  }
}

function reachedBy(host: string): Record<string, string> {
  return {
    listen_addresses: '',
    port: String(socketPort),
    unix_socket_directories: host,
    unix_socket_permissions: '0700',
  }
}

function asArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

async function refuseOtherMajor({ dataDir }: DataLocation, { bin, major }: Binaries): Promise<void> {
  if (!(await exists(dataDir))) return
  const versionFile = path.join(dataDir, 'PG_VERSION')
  if (!(await exists(versionFile))) throw new CannotRunPostgres(`${dataDir} is there, and is not a database`)
  const dataMajor = (await readFile(versionFile, 'utf8')).trim()
  if (dataMajor !== major) throw new WrongPostgresMajor({ dataDir, dataMajor, ownMajor: major, bin, socket: dataDir })
}

async function untilReady(location: DataLocation, server: WatchedProcess, log: (line: string) => void): Promise<void> {
  const givenUpAt = performance.now() + readyMs
  let ended = false
  const exited = server.exited.then(() => {
    ended = true
  })
  while (!ended) {
    const file = await readPostmasterFile(location.dataDir)
    if (file?.pid === server.pid && file.state === 'ready') return
    if (performance.now() > givenUpAt) {
      throw new PostgresDidNotStart(`PostgreSQL was not ready within ${readyMs / 1000} s:`, server.lastLines)
    }
    await Promise.race([exited, delay(readyPollMs)])
  }
  // Two starts at the same moment: the other one got PostgreSQL's lock, and its owner note names it.
  if (server.lastLines.some((line) => line.includes('lock file "postmaster.pid" already exists'))) {
    await waitUntilFree(location, log)
  }
  throw new PostgresDidNotStart('PostgreSQL ended while starting:', server.lastLines)
}

/** Requests a fast shutdown; after a timeout an immediate one, which costs a recovery at the next start. */
async function end(server: WatchedProcess): Promise<void> {
  const ended = server.exited.then(() => true)
  server.end()
  if (await within(fastStopMs, ended)) return
  process.kill(server.pid, 'SIGQUIT')
  if (await within(killStopMs, ended)) return
  process.kill(server.pid, 'SIGKILL')
  await within(killStopMs, ended)
}
