import { createHash } from 'node:crypto'
import { chown, lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CannotRunPostgres } from './errors.ts'
import { canEnter } from './probe.ts'
import type { SystemUser } from './system-user.ts'

/** Part of the socket's file name. No port is taken. */
export const socketPort = 5432

// A socket's address holds 107 bytes on Linux and 103 on macOS, without the ending zero.
const pathBytesMax = 100

/**
 * An absolute folder for the socket that only PostgreSQL's account (and root) may enter: the data folder, or where that
 * path is too long for a socket, a folder under the temporary directory.
 */
export async function socketFolder(dataDir: string, user: SystemUser | undefined): Promise<string> {
  if (fits(dataDir)) return dataDir
  const name = `mortise-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  for (const parent of new Set([tmpdir(), '/tmp'])) {
    const folder = path.join(parent, name)
    if (fits(folder) && (await canEnter(parent, user))) return ownFolder(folder, user)
  }
  throw new CannotRunPostgres(`the path ${dataDir} is too long for a socket, and no temporary folder can be used`)
}

function fits(folder: string): boolean {
  return Buffer.byteLength(path.join(folder, `.s.PGSQL.${socketPort}`)) <= pathBytesMax
}

/** Anybody may make folders under /tmp: one that is not ours alone is refused, never repaired. */
async function ownFolder(folder: string, user: SystemUser | undefined): Promise<string> {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const stats = await lstat(folder)
  const owners = [process.getuid?.(), user?.uid]
  if (!stats.isDirectory() || !owners.includes(stats.uid) || (stats.mode & 0o077) !== 0) {
    throw new CannotRunPostgres(`${folder}, meant for its socket, is not a private folder of this user`)
  }
  if (user) await chown(folder, user.uid, user.gid)
  return folder
}
