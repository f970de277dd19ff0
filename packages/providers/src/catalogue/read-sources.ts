import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { CatalogueFault } from './entry.ts'

/** A provider file as it is written. */
export interface Source {
  path: string
  text: string
  origin: 'builtIn' | 'user'
}

/** More is no provider file, and would take seconds to refuse. */
const bytesMax = 524_288

/** The provider files of this package. */
export const builtInFolder = join(import.meta.dirname, '../../providers')

/**
 * All provider files: those of this package, then those of the user's folders, in order. What cannot be read is a fault. Read one after
 * the other, without waiting: 240 small files take a few milliseconds so, and several times that through the thread pool.
 */
export function readSources(userFolders: readonly string[]): { sources: Source[]; faults: CatalogueFault[] } {
  const sources: Source[] = []
  const faults: CatalogueFault[] = []
  const folders = [builtInFolder, ...userFolders]
  folders.forEach((folder, index) => {
    for (const path of filesOf(folder, faults)) {
      const text = readLimited(path, faults)
      if (text !== undefined) sources.push({ path, text, origin: index === 0 ? 'builtIn' : 'user' })
    }
  })
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
    else if (stats.size > bytesMax) faults.push(fileFault(path, `The file is larger than ${bytesMax} bytes.`))
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
