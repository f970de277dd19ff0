import { open, readdir, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { YAML_BYTES_MAX } from '@mortise/manifest'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'
import { manifestNames } from './manifest-names.ts'

/** A manifest as it was found; `text` is not validated. */
export interface ManifestFile {
  /** As findings name it: relative to the current folder where it is below that. */
  name: string
  text: string
}

/**
 * Reads the manifest that a path leads to. Of what is larger than a manifest may be, only as much is read as shows
 * that.
 *
 * @throws UsageError where there is none, or more than one
 */
export async function readManifestFile(path: string | undefined, terminal: Terminal): Promise<ManifestFile> {
  if (path === '-') return { name: 'stdin', text: decode(await readSome(terminal.stdin), 'standard input') }
  const file = await findManifest(resolve(terminal.cwd, path ?? '.'))
  const below = relative(terminal.cwd, file)
  const name = below.startsWith('..') ? file : below
  const handle = await open(file)
  try {
    return { name, text: decode(await readSome(handle.createReadStream({ autoClose: false })), name) }
  } finally {
    await handle.close()
  }
}

async function findManifest(path: string): Promise<string> {
  const there = await stat(path).catch(() => undefined)
  if (!there) throw new UsageError(`${path} does not exist.`)
  if (!there.isDirectory()) return path
  const names = await readdir(path)
  const found = manifestNames.filter((name) => names.includes(name))
  const [first] = found
  if (first === undefined)
    throw new UsageError(
      `There is no manifest in ${path}: none of ${manifestNames.join(', ')}. \`mortise init\` writes one.`,
    )
  if (found.length > 1) throw new UsageError(`There are several manifests in ${path}: ${found.join(', ')}. Name one.`)
  return join(path, first)
}

/** The beginning of a stream: everything, unless it is more than a manifest may be. */
async function readSome(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    if (bytes > YAML_BYTES_MAX) break
  }
  return Buffer.concat(chunks)
}

function decode(bytes: Buffer, name: string): string {
  // Larger than a manifest may be: the cut may have gone through a character, and validation says what is wrong.
  if (bytes.length > YAML_BYTES_MAX) return bytes.toString('latin1')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`${name} is not text in UTF-8. Save it as UTF-8.`)
  }
}
