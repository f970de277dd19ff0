import { createHash } from 'node:crypto'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { BackupPart } from './manifest.ts'
import { manifestName } from './manifest.ts'
import { measuring } from './measured.ts'

/** A zip that is written from front to back, so that it takes no more memory than one block and may go into a pipe. */
export interface ArchiveWriter {
  /** Writes one file of the archive; resolves when all of it is on its way. */
  add(name: string, content: Readable): Promise<Omit<BackupPart, 'rows'>>
  /** Writes the manifest, whose checksum is the comment of the archive, and ends it. */
  end(manifest: string): Promise<void>
  /** Gives up: what was written is no archive. */
  abort(): void
}

export function writeArchive(output: Writable, signal: AbortSignal): ArchiveWriter {
  const zip = new ZipFile()
  // The types know less than the stream that it is.
  const content = zip.outputStream as Readable
  const written = pipeline(content, output, { signal })
  // Looked at by whoever writes; a pipe may break while nobody does.
  written.catch(() => undefined)
  const add = async (name: string, from: Readable) => {
    const meter = measuring()
    const read = pipeline(from, meter, { signal })
    zip.addReadStream(meter, name, { mode: 0o100600 })
    await Promise.race([read, written])
    return meter.measured()
  }
  return {
    add,
    async end(manifest) {
      await add(manifestName, Readable.from([Buffer.from(manifest)]))
      zip.end({ forceZip64Format: false, comment: createHash('sha256').update(manifest).digest('hex') })
      await written
    },
    abort: () => void content.destroy(),
  }
}
