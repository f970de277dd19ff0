import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The scripts of the connect components, as `packages/connect` builds them for browsers. */
export interface ConnectAssets {
  /** Returns the names of the entries; undefined if nobody built the scripts. */
  entries(): ScriptNames | undefined
  /** Returns the content of a script, in the best encoding that the client accepts. */
  find(name: string, acceptEncoding: string): ConnectAsset | undefined
}

export interface ScriptNames {
  connect: string
  hosted: string
  /** Scripts with the texts of languages, by tag. English is in the others. */
  languages?: Readonly<Record<string, string>>
}

export interface ConnectAsset {
  bytes: Buffer
  encoding: Encoding | undefined
}

/** Encodings that the scripts were compressed with, by the ending of the file; the best one first. */
const endings = { br: '.br', gzip: '.gz' } as const
type Encoding = keyof typeof endings
const encodings = Object.keys(endings) as Encoding[]

type Built = ScriptNames & { files: string[] }
type Copies = Partial<Record<Encoding, Buffer>> & { plain: Buffer }

/** Where the launcher of the service and `npm run build` put them. */
const builtFolder = join(import.meta.dirname, '../../../../../../connect/dist/browser')

/**
 * Reads the scripts into memory when the first one is requested, so that a running service keeps those that its pages
 * name. Without the folder, the service runs, and connect pages work without scripts.
 */
export function createConnectAssets(folder: string = builtFolder): ConnectAssets {
  let built: { names: Built; copies: Map<string, Copies> } | undefined
  const read = () => {
    built ??= readBuilt(folder)
    return built
  }
  return {
    entries: () => read()?.names,
    find(name, acceptEncoding) {
      const copies = read()?.copies.get(name)
      if (!copies) return undefined
      const encoding = encodings.find((one) => copies[one] && accepts(acceptEncoding, one))
      return { bytes: (encoding && copies[encoding]) ?? copies.plain, encoding }
    },
  }
}

function readBuilt(folder: string): { names: Built; copies: Map<string, Copies> } | undefined {
  const text = readIfThere(join(folder, 'assets.json'))
  if (!text) return undefined
  const names = JSON.parse(text.toString()) as Built
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

/** Whether a header Accept-Encoding names an encoding, and not with a weight of 0 (RFC 9110, section 12.5.3). */
function accepts(header: string, encoding: Encoding): boolean {
  return header.split(',').some((item) => {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}
