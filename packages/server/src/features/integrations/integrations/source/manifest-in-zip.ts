import { crc32 } from 'node:zlib'
import { YAML_BYTES_MAX } from '@mortise/manifest'
import type { Entry, ZipFile } from 'yauzl'
import { SourceRefused } from './source-refused.ts'
import { openZip, reading } from './zip-entries.ts'

const names = ['mortise.yaml', 'mortise.yml', 'amp.yaml', 'amp.yml']
const namesShown = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`

/**
 * Returns the text of the only manifest in a zip: at its root, otherwise in its only top-level folder. Works in memory,
 * and expands only the manifest.
 *
 * @throws SourceRefused
 */
export async function manifestInZip(bytes: Buffer): Promise<string> {
  const { zip, files } = await openZip(bytes)
  const content = await expand(zip, oneManifest(files))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch (cause) {
    throw new SourceRefused('manifest-encoding', 'The manifest is not UTF-8.', 'Save it as plain UTF-8 text.', cause)
  }
}

function oneManifest(files: Entry[]): Entry {
  const isManifest = (path: string) => names.includes(path)
  // macOS adds a metadata folder next to the real one.
  const own = files.filter(({ fileName }) => !fileName.startsWith('__MACOSX/'))
  const folders = new Set(
    own.filter(({ fileName }) => fileName.includes('/')).map(({ fileName }) => fileName.split('/')[0]),
  )
  const [folder] = folders
  const atRoot = own.filter(({ fileName }) => isManifest(fileName))
  const found =
    atRoot.length > 0 || folders.size !== 1
      ? atRoot
      : own.filter(({ fileName }) => isManifest(fileName.slice(`${folder}/`.length)))
  const [first, ...others] = found
  if (first !== undefined && others.length === 0) return first
  if (found.length === 0)
    throw new SourceRefused(
      'zip-manifest',
      'The zip holds no manifest at its root or in its only top folder.',
      `Name the manifest ${namesShown}.`,
    )
  throw new SourceRefused(
    'zip-manifest',
    `The zip holds more than one manifest: ${found.map(({ fileName }) => fileName.slice(0, 100)).join(', ')}.`,
    'Keep one of them.',
  )
}

async function expand(zip: ZipFile, entry: Entry): Promise<Buffer> {
  if (entry.uncompressedSize > YAML_BYTES_MAX)
    throw new SourceRefused('yaml-size', 'The manifest is larger than 2 MB.', 'Deploy it in parts.')
  const content = await reading(async () => {
    const chunks: Buffer[] = []
    // The reader stops if an entry is larger than it declares.
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk)
    return Buffer.concat(chunks)
  })
  if (crc32(content) !== entry.crc32)
    throw new SourceRefused(
      'zip-checksum',
      'The checksum of the manifest is wrong: the zip is damaged.',
      'Zip the files again.',
    )
  return content
}
