import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { manifestNames } from '../manifest/manifest-names.ts'
import { UsageError } from '../usage-error.ts'

/** A file as it was found. */
export interface FolderFile {
  /** Relative to the folder. */
  name: string
  text: string
}

/**
 * Reads a YAML file below a folder. Nothing else of the computer can be read: no path and no symbolic link leads out of
 * the folder. Hidden files are refused, and so is what is not YAML: tools do not need it.
 *
 * @throws UsageError
 */
export async function readFolderFile(folder: string, path: string, bytesMax: number): Promise<FolderFile> {
  const root = await rootOf(folder)
  const wanted = resolve(root, path)
  checkBelow(root, wanted, path)
  const real = await realpath(wanted).catch(() => undefined)
  if (real === undefined) throw new UsageError(`There is no file ${path} in ${root}.`)
  checkBelow(root, real, path)
  // Not followed where the last part became a link since, and a pipe does not block.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const file = await open(real, flags).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read (${error.code ?? 'unknown error'}).`)
  })
  try {
    const found = await file.stat()
    if (!found.isFile()) throw new UsageError(`${path} is not a file.`)
    await checkSame(root, real, found, path)
    return { name: relative(root, real), text: decoded(await readSome(file, found, bytesMax, path), path) }
  } finally {
    await file.close()
  }
}

/** Returns the name of the manifest in the folder. @throws UsageError where there is none, or more than one */
export async function manifestIn(folder: string): Promise<string> {
  const names = await readdir(await rootOf(folder))
  const [first, ...others] = manifestNames.filter((name) => names.includes(name))
  if (first === undefined)
    throw new UsageError(
      `There is no manifest in ${folder}: none of ${manifestNames.join(', ')}. Name it with path, or give its text.`,
    )
  if (others.length > 0)
    throw new UsageError(
      `There are several manifests in ${folder}: ${[first, ...others].join(', ')}. Name one with path.`,
    )
  return first
}

/** Programs on the desktop start in the root or in the home folder: that would be everything that a person has. */
async function rootOf(folder: string): Promise<string> {
  const root = await realpath(folder).catch(() => undefined)
  if (root === undefined || !(await stat(root)).isDirectory()) throw new UsageError(`There is no folder ${folder}.`)
  const home = await realpath(homedir()).catch(() => homedir())
  const isWide = root === dirname(root) || root === home || isBelow(root, home)
  if (isWide)
    throw new UsageError(
      `Tools do not read files of ${root}, which has more than a project. Start the server with --folder and the folder of the project, or give the text itself.`,
    )
  return root
}

function isBelow(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}

function checkBelow(root: string, path: string, name: string): void {
  if (!isBelow(root, path)) throw new UsageError(`${name} is not below ${root}. Tools read files of this folder only.`)
  const parts = relative(root, path).split(sep)
  if (parts.some((part) => part.startsWith('.'))) throw new UsageError(`${name} is hidden. Tools read no hidden files.`)
  if (!/\.ya?ml$/.test(path)) throw new UsageError(`${name} is not a YAML file: its name must end in .yaml or .yml.`)
}

/** A folder on the way may have become a link between the check and the opening. */
async function checkSame(root: string, real: string, opened: Stats, name: string): Promise<void> {
  const [again, there] = await Promise.all([realpath(real), stat(real)])
  checkBelow(root, again, name)
  if (again !== real || there.ino !== opened.ino || there.dev !== opened.dev)
    throw new UsageError(`${name} changed while it was read. Try again.`)
}

async function readSome(file: FileHandle, { size }: Stats, bytesMax: number, name: string): Promise<Buffer> {
  const isTooLarge = () => new UsageError(`${name} is larger than ${bytesMax} bytes.`)
  if (size > bytesMax) throw isTooLarge()
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytesMax + 1), 0, bytesMax + 1, 0)
  if (bytesRead > bytesMax) throw isTooLarge()
  return buffer.subarray(0, bytesRead)
}

function decoded(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`${name} is not text in UTF-8. Save it as UTF-8.`)
  }
}
