import { readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DataFolderInUse } from './errors.ts'

/** The data folder, and the folder around it with the note of the Mortise process that owns it. */
export interface DataFolder {
  dataDir: string
  folder: string
}

/** Content of `mortise.pid`. It is valid only while the PostgreSQL process that it names runs. */
interface OwnerNote {
  mortise: number
  postgres: number
}

const pollMs = 25
const aliveMs = 250
const waitMs = 30_000
const logAfterMs = 1_000

/**
 * Waits until no PostgreSQL runs on the data, then resolves.
 *
 * When a live Mortise owns that PostgreSQL, the data is in use, and the call fails after a moment: a Mortise that was
 * just killed can look alive that long. A PostgreSQL without a note is starting or stopping. One whose Mortise is dead
 * is about to stop, because its pipe has closed. The call waits for both. It never takes over or ends a process.
 */
export async function waitUntilFree(data: DataFolder, log: (line: string) => void): Promise<void> {
  const begun = performance.now()
  let hasLogged = false
  for (;;) {
    const postmaster = await runningPostmaster(data.dataDir)
    if (postmaster === undefined) return
    const owner = await notedOwner(data, postmaster)
    const waitedMs = performance.now() - begun
    if (owner !== undefined && isAlive(owner) && waitedMs > aliveMs) {
      throw new DataFolderInUse(data.dataDir, { pid: owner, isMortise: true })
    }
    if (waitedMs > waitMs) throw new DataFolderInUse(data.dataDir, { pid: postmaster, isMortise: false })
    if (!hasLogged && waitedMs > logAfterMs) {
      hasLogged = true
      log(`waiting for the PostgreSQL process ${postmaster} of an earlier start to end`)
    }
    await delay(pollMs)
  }
}

/**
 * Records this process as the owner of the data. Called once PostgreSQL is ready, so only the winner of PostgreSQL's
 * own lock writes it.
 */
export async function noteOwner({ folder }: DataFolder, postgres: number): Promise<void> {
  const note: OwnerNote = { mortise: process.pid, postgres }
  await writeFile(notePath(folder), `${JSON.stringify(note)}\n`, { mode: 0o600 })
}

/** Removes the owner note. Called before PostgreSQL ends, so that the next start waits for the end. */
export async function forgetOwner({ folder }: DataFolder): Promise<void> {
  await rm(notePath(folder), { force: true })
}

/**
 * Reads PostgreSQL's lock file: its process id, the folder of its socket, and its state (`ready` once it accepts
 * connections).
 */
export async function readPostmasterFile(
  dataDir: string,
): Promise<{ pid: number; socketDir: string; state: string } | undefined> {
  const text = await readIfPresent(postmasterFile(dataDir))
  const [pid, , , , socketDir, , , state] = text?.split('\n') ?? []
  if (!pid || !/^\d+$/.test(pid)) return undefined
  return { pid: Number(pid), socketDir: socketDir?.trim() ?? '', state: state?.trim() ?? '' }
}

/** Returns whether a process with this id exists. EPERM means yes: it belongs to another user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Returns the process id of the PostgreSQL that runs on the data, or undefined. PostgreSQL itself handles a lock file
 * whose process has ended.
 */
export async function runningPostmaster(dataDir: string): Promise<number | undefined> {
  const file = await readPostmasterFile(dataDir)
  if (!file || !isAlive(file.pid)) return undefined
  if (await worksIn(dataDir, file.pid)) return file.pid
  // An unrelated process has this id now, after a restart of the container or the machine. PostgreSQL cannot detect
  // that and would always refuse to start.
  await rm(postmasterFile(dataDir), { force: true })
  return undefined
}

/** Returns whether a live process is a PostgreSQL on this data. Compares its working directory where /proc exists. */
async function worksIn(dataDir: string, pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return true
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(dataDir))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Root without the capability to read the link (in a container) can check only the name. The PostgreSQL of an
    // ordinary user is always that user's process, whose link is readable.
    if (code === 'EACCES' && process.getuid?.() === 0) {
      return (await readIfPresent(`/proc/${pid}/comm`))?.trim() === 'postgres'
    }
    return false
  }
}

async function notedOwner({ folder }: DataFolder, postmaster: number): Promise<number | undefined> {
  const match = /^\{"mortise":(\d+),"postgres":(\d+)\}/.exec((await readIfPresent(notePath(folder))) ?? '')
  return match && Number(match[2]) === postmaster ? Number(match[1]) : undefined
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}

function postmasterFile(dataDir: string): string {
  return path.join(dataDir, 'postmaster.pid')
}

function notePath(folder: string): string {
  return path.join(folder, 'mortise.pid')
}
