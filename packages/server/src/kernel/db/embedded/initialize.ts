import { chown, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Binaries } from './binaries.ts'
import { PostgresDidNotStart } from './errors.ts'
import { isAlive } from './holder.ts'
import { type DataLocation, exists } from './place.ts'
import { spawnWatched } from './watched-process.ts'
import { within } from './within.ts'

const initdbMs = 120_000
const building = /^data\.tmp-(\d+)-/

/**
 * Creates the data folder if it does not exist; returns true when this call created it.
 *
 * Builds it under a temporary name and renames it when it is complete. A start that is killed leaves nothing that looks
 * like data. When two first starts run at the same time, the first rename wins.
 */
export async function initialize(
  location: DataLocation,
  binaries: Binaries,
  options: { durable: boolean; log: (line: string) => void },
): Promise<boolean> {
  await removeLeftovers(location.folder)
  if (await exists(location.dataDir)) return false
  const unfinished = await mkdtemp(path.join(location.folder, `data.tmp-${process.pid}-`))
  try {
    if (location.user) await chown(unfinished, location.user.uid, location.user.gid)
    await initdb(unfinished, location, binaries, options)
    const made = await moveInto(location.dataDir, unfinished)
    if (made && options.durable) await syncFolder(location.folder)
    return made
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function initdb(
  folder: string,
  location: DataLocation,
  binaries: Binaries,
  options: { durable: boolean; log: (line: string) => void },
): Promise<void> {
  const initdbProgram = await spawnWatched(
    [
      path.join(binaries.bin, 'initdb'),
      ...['-D', folder, '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-instructions'],
      // The 0700 folder decides who can reach the socket. Network connections are rejected even if a port were opened.
      ...['--auth-local=trust', '--auth-host=reject'],
      // A commit waits while PostgreSQL fills a new WAL segment. A quarter of the default size takes 10 ms instead of
      // more than 40.
      '--wal-segsize=4',
      ...(options.durable ? [] : ['--no-sync']),
    ],
    { user: location.user, log: options.log },
  )
  const code = await within(initdbMs, initdbProgram.exited)
  if (code === 0) return
  initdbProgram.end()
  const what = code === undefined ? `did not end within ${initdbMs / 1000} s` : `failed (exit code ${code})`
  throw new PostgresDidNotStart(`Making the database in ${location.dataDir} ${what}:`, initdbProgram.lastLines)
}

async function moveInto(dataDir: string, unfinished: string): Promise<boolean> {
  try {
    await rename(unfinished, dataDir)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
    throw error
  }
}

/**
 * Removes what killed starts left. A live process may still be building. Our own id belongs to an earlier process or
 * container.
 */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(building.exec(name)?.[1] ?? Number.NaN)
    if (!Number.isNaN(pid) && !isAlive(pid)) await rm(path.join(folder, name), { recursive: true, force: true })
  }
}

/** Syncs the folder, so that the rename survives a power failure. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
