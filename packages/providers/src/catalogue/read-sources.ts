import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { CatalogueFault } from './entry.ts'

/** A provider file as it is written. */
export interface Source {
  path: string
  text: string
  origin: 'builtIn' | 'user'
}

/** A larger file is not a provider file, and would take seconds to refuse. */
export const fileBytesMax = 524_288

/** The provider files of this package. */
export const builtInFolder = join(import.meta.dirname, '../../providers')

/** Provider files as they were found, and what could not be read. */
export interface Sources {
  sources: Source[]
  faults: CatalogueFault[]
}

export function readBuiltInSources(): Sources {
  return readFolders([builtInFolder], 'builtIn')
}

export function readUserSources(folders: readonly string[]): Sources {
  return readFolders(folders, 'user')
}

/**
 * Returns a text that differs after every change to a file of the folders, from their directory entries alone. The time
 * of the last status change is part of it, so that an edit within the same second, of the same length, counts too.
 */
export function signatureOf(folders: readonly string[]): string {
  return signatureOfFiles(folders.flatMap((folder) => filesOf(folder, [])))
}

/** Returns a text that differs after every change to one of the files. */
export function signatureOfFiles(paths: readonly string[]): string {
  return paths
    .map((path) => {
      const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
      return [path, stats?.ino, stats?.size, stats?.mtimeNs, stats?.ctimeNs].join(' ')
    })
    .join('\n')
}

/**
 * What cannot be read is a fault. Read one after the other, without waiting: 240 small files take a few milliseconds
 * so, and several times that through the thread pool.
 */
function readFolders(folders: readonly string[], origin: Source['origin']): Sources {
  const sources: Source[] = []
  const faults: CatalogueFault[] = []
  for (const folder of folders) {
    for (const path of filesOf(folder, faults)) {
      const text = readLimited(path, faults)
      if (text !== undefined) sources.push({ path, text, origin })
    }
  }
  return { sources, faults }
}

function filesOf(folder: string, faults: CatalogueFault[]): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^[^.].*\.ya?ml$/.test(name))
      .sort()
      .map((name) => join(folder, name))
  } catch (error) {
    faults.push(fileFault(folder, `The folder cannot be read (${codeOf(error)}).`))
    return []
  }
}

function readLimited(path: string, faults: CatalogueFault[]): string | undefined {
  try {
    const stats = statSync(path)
    // A pipe would never end.
    if (!stats.isFile()) faults.push(fileFault(path, `${basename(path)} is not a file.`))
    else if (stats.size > fileBytesMax) faults.push(fileFault(path, `The file is larger than ${fileBytesMax} bytes.`))
    else return readFileSync(path, 'utf8')
  } catch (error) {
    faults.push(fileFault(path, `The file cannot be read (${codeOf(error)}).`))
  }
  return undefined
}

function fileFault(file: string, message: string): CatalogueFault {
  return { file, line: 1, column: 1, path: '', message }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
}
