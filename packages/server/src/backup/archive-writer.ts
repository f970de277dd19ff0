import { createHash } from 'node:crypto'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { BackupPart } from './manifest.ts'
import { manifestName } from './manifest.ts'
import { measuring } from './measured.ts'

/** Writes a zip from front to back. It needs memory for one block only, and the output may be a pipe. */
export interface ArchiveWriter {
  /** Writes one file of the archive; resolves when all of it has been handed to the output. */
  add(name: string, content: Readable): Promise<Omit<BackupPart, 'rows'>>
  /** Writes the manifest, sets its checksum as the comment of the archive, and ends the archive. */
  end(manifest: string): Promise<void>
  /** Aborts. The output is not a valid archive. */
  abort(): void
}

export function writeArchive(output: Writable, signal: AbortSignal): ArchiveWriter {
  const zip = new ZipFile()
  // The types know less than the stream that it is.
  const content = zip.outputStream as Readable
  const written = pipeline(content, output, { signal })
  // The writer checks this promise. Without the handler, a pipe that breaks between writes would be an unhandled
  // rejection.
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
