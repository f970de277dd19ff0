import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { SourceRefused } from './source-refused.ts'
import { hasHiddenCharacters, quoted, visible } from './visible-name.ts'

const zipBytesMax = 10 * 1024 * 1024
const expandedBytesMax = 20 * 1024 * 1024
const entriesMax = 1_000
const ratioMax = 100
const nameBytesMax = 1_024
const depthMax = 32

/** Flag bit 3 (APPNOTE 4.4.4): the local header leaves checksum and sizes to a descriptor behind the data. */
const descriptorFollows = 0x08
/** Upper half of the external attributes of a Unix archive: the file type of `st_mode`. */
const fileTypes = { none: 0, regular: 0x8000, folder: 0x4000 }

/** An open archive whose every entry has been checked. */
export interface CheckedZip {
  zip: ZipFile
  /** Files, without folders. */
  files: Entry[]
}

/**
 * Opens a zip and checks all of it before anything is expanded: sizes, names, types, and that the two descriptions of
 * each entry, local and central, agree, so that no two readers of the archive can see different files.
 *
 * @throws SourceRefused
 */
export async function openZip(bytes: Buffer): Promise<CheckedZip> {
  if (bytes.length > zipBytesMax)
    throw refused('zip-size', 'The zip is larger than 10 MB.', 'Leave out what is not source.')
  // Self-extracting archives are programs; an archive starts with its first entry, or is empty.
  const start = bytes.subarray(0, 4).toString('latin1')
  if (start !== 'PK\x03\x04' && start !== 'PK\x05\x06')
    throw refused('zip-format', 'The file is not a zip.', 'Send a zip that holds the manifest.')
  const zip = await reading(() =>
    yauzl.fromBufferPromise(bytes, { strictFileNames: true, validateEntrySizes: true, autoClose: false }),
  )
  // The count of the end record: no entry of an archive with too many is read.
  if (zip.entryCount > entriesMax) throw tooMany()
  const entries: Entry[] = []
  const names = new Set<string>()
  let expanded = 0
  await reading(async () => {
    for await (const entry of zip.eachEntry()) {
      if (entries.push(entry) > entriesMax) throw tooMany()
      checkName(entry, names)
      checkKind(entry)
      expanded += entry.uncompressedSize
      checkSize(entry, expanded)
    }
  })
  await checkLocalHeaders(zip, entries)
  return { zip, files: entries.filter(({ fileName }) => !fileName.endsWith('/')) }
}

/** Runs a call of the reader; whatever it cannot read is the archive's fault. */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SourceRefused) throw error
    const { message } = error as Error
    throw refused(
      'zip-format',
      `The zip cannot be read: ${visible(message.slice(0, 200))}.`,
      'Zip the files again.',
      error,
    )
  }
}

function refused(rule: string, message: string, remedy: string, cause?: unknown): SourceRefused {
  return new SourceRefused(rule, message, remedy, cause)
}

function tooMany(): SourceRefused {
  return refused(
    'zip-entries',
    `The zip has more than ${entriesMax.toLocaleString('en-US')} entries.`,
    'Zip the manifest alone.',
  )
}

function checkName({ fileName, fileNameRaw }: Entry, names: Set<string>): void {
  const shown = quoted(fileName)
  const remedy = 'Rename the file, or zip the manifest alone.'
  if (fileNameRaw.length > nameBytesMax || fileName.split('/').length > depthMax)
    throw refused('zip-name', `The name ${shown}… is too long or too deep.`, remedy)
  // The raw bytes too: without the UTF-8 flag, CP437 decodes control bytes to symbols, while some tools read the bytes
  // as UTF-8.
  if (hasHiddenCharacters(fileName) || hasHiddenCharacters(fileNameRaw.toString()))
    throw refused('zip-name', `The name ${shown} contains control or invisible formatting characters.`, remedy)
  // As a file system that knows no case would see them.
  const folded = fileName.normalize('NFC').toLowerCase().replace(/\/$/, '')
  if (names.has(folded))
    throw refused('zip-name', `The name ${shown} is there twice, in whatever upper and lower case.`, remedy)
  names.add(folded)
}

function checkKind(entry: Entry): void {
  const shown = quoted(entry.fileName)
  if (entry.isEncrypted()) throw refused('zip-encrypted', `${shown} is encrypted.`, 'Zip the files without a password.')
  const type = (entry.externalFileAttributes >>> 16) & 0xf000
  if (!Object.values(fileTypes).includes(type))
    throw refused('zip-type', `${shown} is a link or a device.`, 'Put the file itself into the zip.')
}

function checkSize({ fileName, compressedSize, uncompressedSize }: Entry, expanded: number): void {
  const remedy = 'Zip the manifest alone.'
  if (expanded > expandedBytesMax) throw refused('zip-bomb', 'The zip expands to more than 20 MB.', remedy)
  if (uncompressedSize > Math.max(compressedSize, 1) * ratioMax)
    throw refused('zip-bomb', `${quoted(fileName)} expands more than ${ratioMax}-fold.`, remedy)
}

/** Compares each entry's local header with its central one, and refuses entries that share bytes. */
async function checkLocalHeaders(zip: ZipFile, entries: Entry[]): Promise<void> {
  const remedy = 'Zip the files again with a common tool.'
  let end = 0
  const inOrder = entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)
  for (const entry of inOrder) {
    const local = await reading(() => zip.readLocalFileHeaderPromise(entry))
    const sized = (local.generalPurposeBitFlag & descriptorFollows) === 0
    const agrees =
      local.fileName.equals(entry.fileNameRaw) &&
      local.compressionMethod === entry.compressionMethod &&
      (!sized || local.crc32 === entry.crc32) &&
      (!sized || local.uncompressedSize === 0xffffffff || local.uncompressedSize === entry.uncompressedSize)
    if (!agrees)
      throw refused('zip-mismatch', `The zip describes ${quoted(entry.fileName)} in two different ways.`, remedy)
    if (entry.relativeOffsetOfLocalHeader < end)
      throw refused('zip-overlap', 'Entries of the zip share the same bytes.', remedy)
    end = local.fileDataStart + entry.compressedSize
  }
}
