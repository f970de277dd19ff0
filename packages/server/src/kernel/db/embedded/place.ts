import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { CannotRunPostgres, DataFolderMissing } from './errors.ts'
import { canEnter, probe } from './probe.ts'
import { type SystemUser, systemUsers, unprivilegedUser } from './system-user.ts'

/** Location of the data, and the account that runs PostgreSQL on it. */
export interface DataLocation {
  /** Folder around the data: the data folder, temporary folders while it is built, and the owner note. */
  folder: string
  dataDir: string
  /** The account to run as; undefined when Mortise itself runs as an ordinary user. */
  user: SystemUser | undefined
}

/** File in `.mortise` with the path of the data when it is stored elsewhere. */
export const locationFile = 'postgres.path'

/**
 * Chooses the location: `homeDir/postgres` as a rule. When root starts Mortise in a folder that no other account can
 * reach (a clone under /root), creates a separate folder in `systemDir`, records it in `homeDir`, and uses it from then
 * on.
 */
export async function chooseLocation(homeDir: string, systemDir: string): Promise<DataLocation> {
  if (!process.getuid) throw new CannotRunPostgres('this operating system has no sockets and users as it needs them')
  const isRoot = process.getuid() === 0
  // PostgreSQL's account may pass through root's folder to its data, but cannot list the folder.
  const mode = isRoot ? 0o711 : 0o700
  await mkdir(path.dirname(homeDir), { recursive: true })
  await mkdir(homeDir, { recursive: true, mode })
  const noted = await readNote(homeDir)
  if (noted) return locationIn(noted, isRoot)

  const inside = path.join(homeDir, 'postgres')
  await mkdir(inside, { recursive: true, mode })
  const location = await locationIn(inside, isRoot)
  if (!isRoot) return location
  await letPass(homeDir)
  await letPass(inside)
  if (await canEnter(inside, location.user)) return location
  if (await exists(location.dataDir)) {
    throw new CannotRunPostgres(`${location.dataDir} belongs to ${location.user?.name}, who cannot reach it there`)
  }
  return locationIn(await locationOutside(homeDir, systemDir), isRoot)
}

async function locationIn(folder: string, isRoot: boolean): Promise<DataLocation> {
  const dataDir = path.join(folder, 'data')
  const owner = (await exists(dataDir)) ? (await stat(dataDir)).uid : undefined
  if (isRoot) return { folder, dataDir, user: await runner(owner) }
  if (owner !== undefined && owner !== process.getuid?.()) {
    throw new CannotRunPostgres(
      `${dataDir} belongs to another user (id ${owner}); start Mortise as the user, or root, that started it first`,
    )
  }
  return { folder, dataDir, user: undefined }
}

/** Returns the account that owns existing data, or the default account for new data. */
async function runner(owner: number | undefined): Promise<SystemUser> {
  const users = await systemUsers()
  const user = owner ? users.find(({ uid }) => uid === owner) : unprivilegedUser(users)
  if (!user) {
    throw new CannotRunPostgres(
      owner
        ? `its data belongs to user ${owner}, who is not in /etc/passwd`
        : 'it may not run as root, and there is neither a user postgres nor a user nobody',
    )
  }
  const becoming = await probe('/bin/sh', ['-c', ':'], user)
  if (!becoming.ok) throw new CannotRunPostgres(`root may not become user ${user.name} (${becoming.reason})`)
  return user
}

/** Adds the permission to pass through a folder of root's, never to list or read it. */
async function letPass(folder: string): Promise<void> {
  const { mode, uid } = await stat(folder)
  if (uid === 0 && (mode & 0o001) === 0) await chmod(folder, (mode & 0o777) | 0o011)
}

/** Creates a new folder whenever there is no path file, so a fresh clone never opens the data of a removed one. */
async function locationOutside(homeDir: string, systemDir: string): Promise<string> {
  const note = path.join(homeDir, locationFile)
  const hash = createHash('sha256').update(homeDir).digest('hex').slice(0, 12)
  await mkdir(systemDir, { recursive: true, mode: 0o755 }).catch((cause: Error) => {
    throw new CannotRunPostgres(`no other user can reach ${homeDir}, and ${cause.message}`, { cause })
  })
  const folder = await mkdtemp(path.join(systemDir, `${hash}-`))
  await chmod(folder, 0o711)
  try {
    await writeFile(note, `${folder}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    await rmdir(folder)
    const other = await readNote(homeDir)
    if (!other) throw error
    return other
  }
  await rm(path.join(homeDir, 'postgres'), { recursive: true, force: true })
  return folder
}

async function readNote(homeDir: string): Promise<string | undefined> {
  const note = path.join(homeDir, locationFile)
  if (!(await exists(note))) return undefined
  const folder = (await readFile(note, 'utf8')).trim()
  if (!path.isAbsolute(folder) || !(await exists(folder))) throw new DataFolderMissing(folder, note)
  return folder
}

/** Returns whether a file exists. Throws every other error (no permission). */
export async function exists(file: string): Promise<boolean> {
  try {
    await stat(file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
