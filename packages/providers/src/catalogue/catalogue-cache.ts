import { hash, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCatalogue, type PackedCatalogue } from './pack-catalogue.ts'
import { builtInFolder, type Source, signatureOf, signatureOfFiles } from './read-sources.ts'

/**
 * The provider files of this package, or the user's: kept apart, so that a change of one file of a user parses no
 * other.
 */
export type Part = 'built-in' | 'user'

/** A rolling update has two versions on one folder, and who writes a provider file makes a few more. */
const filesKept = 4

/**
 * The key of the compiled provider files of this package. It follows from their directory entries and those of the code
 * that reads them: to read a thousand files takes longer than everything else at a start. A copy of the package has
 * another key, even if its files are the same.
 */
export function builtInKey(): string {
  return hash('sha256', `${signatureOfFiles(codeFiles())}\n${signatureOf([builtInFolder])}`)
}

/** The key of compiled files of a user, which built-in ones complete: the texts may be those of earlier versions. */
export function userKey(beneath: string, sources: readonly Source[]): string {
  return hash('sha256', JSON.stringify([beneath, ...sources.flatMap(({ path, text }) => [path, text])]))
}

/**
 * Returns the compiled catalog of this key, as an earlier start left it in the folder. A cache may be deleted,
 * truncated or changed by anybody at any time: a file that does not pass its check is ignored.
 */
export function readCachedCatalogue(folder: string, part: Part, key: string): PackedCatalogue | undefined {
  try {
    return openCatalogue(readFileSync(fileOf(folder, part, key)), key)
  } catch {
    return undefined
  }
}

/**
 * Writes a compiled catalog to the folder. It replaces the file in one step, so that a reader sees all of it or
 * nothing, even if another process writes the same. A folder that is not writable costs the next start half a second,
 * and nothing else.
 */
export function writeCachedCatalogue(folder: string, part: Part, key: string, packed: Buffer): void {
  const file = fileOf(folder, part, key)
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(temporary, packed, { mode: 0o600 })
    renameSync(temporary, file)
    deleteOld(folder, part)
  } catch {
    try {
      rmSync(temporary, { force: true })
    } catch {
      // The folder is read-only, full or gone.
    }
  }
}

function fileOf(folder: string, part: Part, key: string): string {
  return join(folder, `providers-${part}-${key.slice(0, 32)}.bin`)
}

function deleteOld(folder: string, part: Part): void {
  const files = readdirSync(folder)
    .filter((name) => name.startsWith(`providers-${part}-`))
    .map((name) => join(folder, name))
    .map((path) => ({ path, time: statSync(path).mtimeMs }))
    .sort((a, b) => b.time - a.time)
  for (const { path } of files.slice(filesKept)) rmSync(path, { force: true })
}

/** Returns the code of this package, so that no cache outlives a change of what checks files. */
export function codeFiles(): string[] {
  return ['.', 'format', '../interpreter', '../interpreter/paging', '../interpreter/writing', '../custom'].flatMap(
    (folder) => {
      const path = join(import.meta.dirname, folder)
      return readdirSync(path)
        .filter((name) => /\.[jt]s$/.test(name) && !/\.(test|testkit|d)\./.test(name))
        .map((name) => join(path, name))
    },
  )
}
