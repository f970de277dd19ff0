import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import yauzl, { type Entry } from 'yauzl'
import { type BackupManifest, type BackupPart, manifestName, parseManifest } from './manifest.ts'
import { verifying } from './measured.ts'
import { UnusableBackup } from './problems.ts'

const manifestBytesMax = 16 * 1024 * 1024
/** More than there are tables. */
const entriesMax = 1_000

/** An open backup, whose manifest has been checked. */
export interface OpenBackup {
  manifest: BackupManifest
  /** One file of it. The stream fails at its end when its bytes are not those that were backed up. */
  read(name: string, expected: Omit<BackupPart, 'rows'>): Promise<Readable>
  /** A small file whole. */
  readSmall(name: string): Promise<Buffer>
  close(): void
}

/** @throws UnusableBackup when the file is none, was cut off, was altered or is of a newer release */
export async function openBackup(file: string): Promise<OpenBackup> {
  const zip = await yauzl.openPromise(file, { autoClose: false, strictFileNames: true }).catch((cause: Error) => {
    if ('code' in cause && cause.code === 'ENOENT') throw new UnusableBackup(`There is no file ${file}.`, { cause })
    if ('code' in cause) throw new UnusableBackup(`${file} cannot be read: ${cause.message}`, { cause })
    throw new UnusableBackup(`${file} is not a backup, or its end is missing.`, { cause })
  })
  try {
    const entries = new Map<string, Entry>()
    for await (const entry of damageOf(zip.eachEntry())) {
      if (entries.size >= entriesMax || entries.has(entry.fileName)) throw damaged('its list of files does not add up')
      entries.set(entry.fileName, entry)
    }
    const find = (name: string) => {
      const entry = entries.get(name)
      if (!entry) throw damaged(`${name} is missing`)
      return entry
    }
    const open = async (name: string) => await zip.openReadStreamPromise(find(name)).catch(rethrow)
    const readSmall = async (name: string) => {
      if (find(name).uncompressedSize > manifestBytesMax) throw damaged(`${name} is too large`)
      return await buffer(await open(name)).catch(rethrow)
    }
    const bytes = await readSmall(manifestName)
    if (createHash('sha256').update(bytes).digest('hex') !== zip.comment)
      throw damaged('its manifest is not what was written')
    return {
      manifest: parseManifest(bytes),
      async read(name, expected) {
        const content = await open(name)
        const verified = verifying(name, expected)
        // A stream that cannot be expanded is damage as well.
        content.on('error', (cause) => verified.destroy(damaged(`${name} cannot be read`, cause)))
        return content.pipe(verified)
      },
      readSmall,
      close: () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

function damaged(what: string, cause?: unknown): UnusableBackup {
  return new UnusableBackup(`The file is damaged: ${what}.`, { cause })
}

function rethrow(error: unknown): never {
  throw error instanceof UnusableBackup ? error : damaged((error as Error).message, error)
}

async function* damageOf<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items
  } catch (error) {
    rethrow(error)
  }
}
