import type { Read } from '../catalogue/format/read.ts'
import type { Value } from '../catalogue/format/values.ts'
import { compileParts } from './custom-fields.ts'
import type { ExtractedFields } from './fields.ts'
import { compileMatch } from './match.ts'
import { compilePath, isObject, type PathReader } from './path.ts'
import { compilePattern, type Pattern } from './pattern.ts'

/** What reads the further fields of a record; `undefined` where the file declares none. */
export function compileExtraction(declared: Read['lift']): ExtractedFields | undefined {
  const fields = Object.entries(declared ?? {}).map(
    ([name, from]) => [name.toLowerCase(), typeof from === 'string' ? compilePath(from) : compilePart(from)] as const,
  )
  if (fields.length === 0) return undefined
  return (record) => {
    const extracted = new Map<string, unknown>()
    for (const [name, read] of fields) {
      const value = read(record)
      if (value !== undefined) extracted.set(name, value)
    }
    return extracted
  }
}

function compilePart({ list, when, path, each, join, capture }: Value): PathReader {
  const full =
    each === undefined ? compilePath(path) : compileParts({ path, each, ...(join !== undefined && { join }) })
  const read = capture === undefined ? full : captured(full, compilePattern(capture))
  if (list === undefined) return read
  const itemsOf = compilePath(list)
  const fits = compileMatch(when)
  return (record) => {
    const found = itemsOf(record)
    const items: unknown[] = Array.isArray(found) ? found : isObject(found) ? Object.values(found) : []
    const item = items.find(fits)
    return item === undefined ? undefined : read(item)
  }
}

/** Longer texts are not addresses or labels. This bounds the input of the expressions in provider files. */
const charactersMax = 2_000

function captured(read: PathReader, expression: Pattern): PathReader {
  return (item) => {
    const text = read(item)
    if (typeof text !== 'string' || text.length > charactersMax) return undefined
    return expression.result(text)
  }
}

/** The fields of both. */
export function mergeExtracted(
  first: ExtractedFields | undefined,
  second: ExtractedFields | undefined,
): ExtractedFields | undefined {
  if (first === undefined || second === undefined) return first ?? second
  return (record) => new Map([...first(record), ...second(record)])
}
