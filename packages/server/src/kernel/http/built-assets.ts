import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NotFound } from './problems.ts'

/** Files for browsers that a build put into a folder, each in its compressed copies. */
export interface BuiltAssets<Names extends object> {
  /** Returns the names of the entries; undefined if nobody built the files. */
  entries(): Names | undefined
  /** Returns the content of a file, in the best encoding that the client accepts. */
  find(name: string, acceptEncoding: string): BuiltAsset | undefined
}

export interface BuiltAsset {
  bytes: Buffer
  encoding: Encoding | undefined
}

/** Encodings that the files were compressed with, by the ending of the file; the best one first. */
const endings = { br: '.br', gzip: '.gz' } as const
type Encoding = keyof typeof endings
const encodings = Object.keys(endings) as Encoding[]

type Copies = Partial<Record<Encoding, Buffer>> & { plain: Buffer }
type Built<Names> = { names: Names; copies: Map<string, Copies> }

/**
 * Reads the files that `assets.json` of a folder lists into memory when the first one is requested, so that a running
 * service keeps those that its pages name. While there is no such folder, each request looks again.
 */
export function createBuiltAssets<Names extends object>(folder: string): BuiltAssets<Names> {
  let built: Built<Names> | undefined
  const read = () => {
    built ??= readBuilt(folder)
    return built
  }
  return {
    entries: () => read()?.names,
    find(name, acceptEncoding) {
      const copies = read()?.copies.get(name)
      if (!copies) return undefined
      const encoding = encodings.find((one) => copies[one] && acceptsEncoding(acceptEncoding, one))
      return { bytes: (encoding && copies[encoding]) ?? copies.plain, encoding }
    },
  }
}

/**
 * Returns the body and the headers of a response with a file, whose name changes with its content.
 *
 * @throws NotFound
 */
export function sentAsset(
  assets: BuiltAssets<object>,
  name: string,
  requestHeaders: Record<string, string | string[] | undefined>,
): { bytes: Buffer; headers: Record<string, string> } {
  const asset = assets.find(name, String(requestHeaders['accept-encoding'] ?? ''))
  if (asset === undefined)
    throw new NotFound({ detail: 'File not found.', remedy: 'Reload the page that requested it.' })
  return {
    bytes: asset.bytes,
    headers: {
      ...(asset.encoding && { 'content-encoding': asset.encoding }),
      vary: 'accept-encoding',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    },
  }
}

function readBuilt<Names extends object>(folder: string): Built<Names> | undefined {
  const text = readIfThere(join(folder, 'assets.json'))
  if (!text) return undefined
  const names = JSON.parse(text.toString()) as Names & { files: string[] }
  const copies = names.files.map((name): [string, Copies] => {
    const compressed = encodings.map((encoding) => [encoding, readIfThere(join(folder, name + endings[encoding]))])
    return [name, { ...Object.fromEntries(compressed), plain: readFileSync(join(folder, name)) }]
  })
  return { names, copies: new Map(copies) }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined
    throw error
  }
}

/** Returns whether Accept-Encoding names an encoding, and not with a weight of 0 (RFC 9110, section 12.5.3). */
/** Whether `Accept-Encoding` allows an encoding (RFC 9110, section 12.5.3). */
export function acceptsEncoding(header: string, encoding: Encoding): boolean {
  return header.split(',').some((item) => {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}
