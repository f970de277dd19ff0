import { readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DataFolderInUse } from './errors.ts'

/** The data folder, and the note beside it that says which Mortise holds it. */
export interface Held {
  dataDir: string
  folder: string
}

/** Content of `mortise.pid`: valid only together with the PostgreSQL process that it names. */
interface OwnerNote {
  mortise: number
  postgres: number
}

const pollMs = 25
const aliveMs = 250
const waitMs = 30_000
const tellAfterMs = 1_000

/**
 * Waits until no PostgreSQL runs on the data, then resolves.
 *
 * One that a live Mortise has noted as its own is in use, and after a moment refused: a Mortise that was killed just
 * now can look alive that long. One without a note is starting or stopping, and one whose Mortise is dead is about to
 * stop, because the pipe to it has closed: both are waited for. Nobody's process is adopted or ended.
 */
export async function waitUntilFree(held: Held, log: (line: string) => void): Promise<void> {
  const begun = performance.now()
  let told = false
  for (;;) {
    const postmaster = await runningPostmaster(held.dataDir)
    if (postmaster === undefined) return
    const owner = await notedOwner(held, postmaster)
    const waitedMs = performance.now() - begun
    if (owner !== undefined && isAlive(owner) && waitedMs > aliveMs) {
      throw new DataFolderInUse(held.dataDir, { pid: owner, isMortise: true })
    }
    if (waitedMs > waitMs) throw new DataFolderInUse(held.dataDir, { pid: postmaster, isMortise: false })
    if (!told && waitedMs > tellAfterMs) {
      told = true
      log(`waiting for the PostgreSQL process ${postmaster} of an earlier start to end`)
    }
    await delay(pollMs)
  }
}

/**
 * Says that this process holds the data: written once PostgreSQL is ready, so by the winner of PostgreSQL's own lock.
 */
export async function noteOwner({ folder }: Held, postgres: number): Promise<void> {
  const note: OwnerNote = { mortise: process.pid, postgres }
  await writeFile(notePath(folder), `${JSON.stringify(note)}\n`, { mode: 0o600 })
}

/** Says that this process is letting go. Done before PostgreSQL ends, so that the next start waits for that. */
export async function forgetOwner({ folder }: Held): Promise<void> {
  await rm(notePath(folder), { force: true })
}

/**
 * PostgreSQL's own lock file: its process, the folder of its socket, and its state (`ready` once it takes connections).
 */
export async function readPostmasterFile(
  dataDir: string,
): Promise<{ pid: number; socketDir: string; state: string } | undefined> {
  const text = await readIfPresent(postmasterFile(dataDir))
  const [pid, , , , socketDir, , , state] = text?.split('\n') ?? []
  if (!pid || !/^\d+$/.test(pid)) return undefined
  return { pid: Number(pid), socketDir: socketDir?.trim() ?? '', state: state?.trim() ?? '' }
}

/** Whether a process with this id exists. EPERM says yes: it is another user's. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The PostgreSQL that runs on the data, or undefined. A lock file whose process is gone is left to PostgreSQL. */
export async function runningPostmaster(dataDir: string): Promise<number | undefined> {
  const file = await readPostmasterFile(dataDir)
  if (!file || !isAlive(file.pid)) return undefined
  if (await worksIn(dataDir, file.pid)) return file.pid
  // A stranger has got the id since (a restarted container, a rebooted machine). PostgreSQL could not tell and would
  // refuse to start for ever.
  await rm(postmasterFile(dataDir), { force: true })
  return undefined
}

/** Whether a live process is a PostgreSQL on this data. Its working folder tells, where /proc exists. */
async function worksIn(dataDir: string, pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return true
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(dataDir))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Root without the capability to look (a container) has the name only; an ordinary user's PostgreSQL is always
    // its own process, which it may look at.
    if (code === 'EACCES' && process.getuid?.() === 0) {
      return (await readIfPresent(`/proc/${pid}/comm`))?.trim() === 'postgres'
    }
    return false
  }
}

async function notedOwner({ folder }: Held, postmaster: number): Promise<number | undefined> {
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
