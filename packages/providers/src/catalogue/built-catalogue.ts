import { hash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeFiles } from './catalogue-cache.ts'
import { openCatalogue, type PackedCatalogue, packCatalogue } from './pack-catalogue.ts'
import { readBuiltInSources, type Source } from './read-sources.ts'

/** The compiled provider files of this package, as `npm run build` leaves them. */
export const builtFile = join(import.meta.dirname, '../../dist/catalogue.bin')

/**
 * Returns the built catalog if it was made of these texts, at these paths, by this code. Everything in it then passed
 * every check. A folder that was never built has none.
 */
export function readBuiltCatalogue(sources: readonly Source[]): { part: PackedCatalogue; packed: Buffer } | undefined {
  let packed: Buffer
  try {
    packed = readFileSync(builtFile)
  } catch {
    return undefined
  }
  const part = openCatalogue(packed, contentKey(sources))
  return part && { part, packed }
}

/**
 * Compiles the provider files of this package for the first start.
 *
 * @throws Error with the first fault of a file
 */
export async function writeBuiltCatalogue(): Promise<void> {
  const { compileCatalogue } = await import('./compile-catalogue.ts')
  const { sources, faults: unread } = readBuiltInSources()
  const compiled = compileCatalogue(sources)
  const [fault] = [...unread, ...compiled.faults]
  if (fault !== undefined) throw new Error(`${fault.file}:${fault.line} ${fault.message}`)
  const temporary = `${builtFile}.${randomUUID()}.tmp`
  mkdirSync(dirname(builtFile), { recursive: true })
  writeFileSync(temporary, packCatalogue(compiled, contentKey(sources)))
  renameSync(temporary, builtFile)
}

/** The key of a built catalog. It follows from contents alone: a build may be copied to another machine. */
function contentKey(sources: readonly Source[]): string {
  const code = [...codeFiles(), join(import.meta.dirname, '../../package.json')].map((path) =>
    readFileSync(path, 'utf8'),
  )
  return hash('sha256', JSON.stringify([code, sources.map(({ path, text }) => [path, text])]))
}
