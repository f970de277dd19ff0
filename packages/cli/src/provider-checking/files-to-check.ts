import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { type FileToCheck, fileBytesMax } from '@mortise/providers/check'
import { UsageError } from '../usage-error.ts'

/**
 * Reads the provider files that paths name; of a folder, all of it.
 *
 * @returns names relative to `cwd` where the file is below it
 * @throws UsageError for a path that leads to no file, and for one that is larger than a provider file may be
 */
export async function filesToCheck(paths: readonly string[], cwd: string): Promise<FileToCheck[]> {
  const found = (await Promise.all(paths.map((path) => filesAt(resolve(cwd, path), path)))).flat()
  return Promise.all([...new Set(found)].map((file) => readOne(file, cwd)))
}

async function filesAt(path: string, name: string): Promise<string[]> {
  const there = await stat(path).catch(() => undefined)
  if (there === undefined) throw new UsageError(`There is no file ${name}.`)
  if (!there.isDirectory()) return [path]
  const names = (await readdir(path)).filter((file) => /^[^.].*\.ya?ml$/.test(file)).sort()
  if (names.length === 0) throw new UsageError(`There is no provider file in ${name}: none ends in .yaml or .yml.`)
  return names.map((file) => join(path, file))
}

async function readOne(path: string, cwd: string): Promise<FileToCheck> {
  const below = relative(cwd, path)
  const name = below.startsWith('..') ? path : below
  const there = await stat(path)
  if (!there.isFile()) throw new UsageError(`${name} is not a file.`)
  if (there.size > fileBytesMax) {
    throw new UsageError(`${name} is larger than a provider file may be (${fileBytesMax} bytes).`)
  }
  return { path: name, text: await readFile(path, 'utf8') }
}
