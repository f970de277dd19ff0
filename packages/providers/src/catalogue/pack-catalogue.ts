import { hash } from 'node:crypto'
import type { CompiledCatalogue, Reading } from './compile-catalogue.ts'
import type { CatalogueFault } from './entry.ts'
import type { EntryHead } from './make-entry.ts'

/**
 * A compiled catalog in one piece: an entry is available immediately, and the part that reads its objects is parsed on
 * first use.
 */
export interface PackedCatalogue {
  heads: readonly EntryHead[]
  faults: readonly CatalogueFault[]
  readingOf(name: string): Reading
}

const magic = 'mortise-catalogue'

/** Bytes of the readings by provider: where each begins, behind the line of the index, and how long it is. */
interface Index {
  heads: EntryHead[]
  faults: CatalogueFault[]
  readings: Record<string, [start: number, length: number]>
}

/**
 * The stored form of a compiled catalog: a line that names it, its key and the hash of the rest; a line with the index;
 * the readings.
 */
export function packCatalogue({ providers, faults }: CompiledCatalogue, key: string): Buffer {
  const readings: Index['readings'] = {}
  const parts: Buffer[] = []
  let at = 0
  for (const { head, reading } of providers) {
    const part = Buffer.from(`${JSON.stringify(reading)}\n`)
    readings[head.name] = [at, part.length]
    parts.push(part)
    at += part.length
  }
  const index: Index = { heads: providers.map(({ head }) => head), faults, readings }
  const body = Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...parts])
  return packed(key, body)
}

/** Returns what `packCatalogue` wrote, under another key. */
export function withKey(bytes: Buffer, key: string): Buffer {
  return packed(key, bytes.subarray(bytes.indexOf(10) + 1))
}

function packed(key: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(headOf(key, body)), body])
}

/**
 * Opens what `packCatalogue` wrote with this key; `undefined` for anything else, be it cut off, changed or of other
 * files.
 */
export function openCatalogue(bytes: Buffer, key: string): PackedCatalogue | undefined {
  const bodyAt = bytes.indexOf(10) + 1
  const body = bytes.subarray(bodyAt)
  if (bodyAt === 0 || bytes.toString('latin1', 0, bodyAt) !== headOf(key, body)) return undefined
  const readingsAt = body.indexOf(10) + 1
  const { heads, faults, readings } = JSON.parse(body.toString('utf8', 0, readingsAt)) as Index
  return {
    heads,
    faults,
    readingOf(name) {
      const [start, length] = readings[name] ?? [0, 0]
      return JSON.parse(body.toString('utf8', readingsAt + start, readingsAt + start + length)) as Reading
    },
  }
}

function headOf(key: string, body: Buffer): string {
  return `${magic} ${key} ${hash('sha256', body)}\n`
}
