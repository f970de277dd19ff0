import { nearestName } from '../../catalogue/nearest-name.ts'
import type { UnsentField } from '../../connector.ts'
import { bracketPath, isObject } from '../path.ts'
import { compileBody } from '../request-body.ts'
import type { RecordShape } from './record-shape.ts'

/** The parts of a record that a request names: all of it, or paths such as `['address', 'city']`. */
export type NamedParts = 'all' | readonly (readonly string[])[]

/** Returns the parts that these variables name: `record` is all of it, `record.address.city` one value. */
export function namedParts(variables: Iterable<string>, record = 'record'): NamedParts {
  const paths: string[][] = []
  for (const name of variables) {
    if (name === record || name === 'changes') return 'all'
    if (name.startsWith(`${record}.`)) paths.push(name.slice(record.length + 1).split('.'))
  }
  return paths
}

/** Returns the parts of each record that the body of a batch names, in the `$item` of `$each: items`. */
export function namedPartsOfItems(body: unknown): NamedParts {
  const variables = itemParts(body).flatMap((part) => compileBody(part).variables)
  return variables.includes('item') || sendsAllItems(body) ? 'all' : namedParts(variables, 'item.record')
}

/** Returns what the body of a batch sends of each item. */
export function itemParts(part: unknown): unknown[] {
  if (Array.isArray(part)) return part.flatMap(itemParts)
  if (!isObject(part)) return []
  return part['$each'] === 'items' ? [part['$item']] : Object.values(part).flatMap(itemParts)
}

/** Whether the body has the list as one value, which goes out as a whole. */
function sendsAllItems(part: unknown): boolean {
  if (Array.isArray(part)) return part.some(sendsAllItems)
  if (!isObject(part) || part['$each'] === 'items') return false
  return part['$value'] === 'items' || Object.values(part).some(sendsAllItems)
}

/** How many fields get a suggestion: it costs a comparison with every name. */
const suggestionsMax = 20

/**
 * Returns the fields of these records that no part of the request names, each with the nearest name that the request
 * does name. A request without such a name would lose them silently. Of a value that is sent in parts, the parts that
 * are not sent are returned.
 */
export function unsentFields(
  records: readonly Readonly<Record<string, unknown>>[],
  named: NamedParts,
  shape: RecordShape,
): UnsentField[] {
  if (named === 'all') return []
  const found = new Map<string, number[]>()
  for (const [index, record] of records.entries()) {
    for (const field of unsentOf(record, named, shape)) found.set(field, [...(found.get(field) ?? []), index])
  }
  const names = [...new Set(named.map(([first = '']) => first))]
  return [...found].map(([field, indexes], at) => {
    const isPart = field.startsWith('$[') || names.includes(field)
    const nearest = at < suggestionsMax && !isPart ? nearestName(field, names) : undefined
    return { field, records: indexes, ...(nearest !== undefined && { nearest }) }
  })
}

function unsentOf(
  record: Readonly<Record<string, unknown>>,
  named: readonly (readonly string[])[],
  shape: RecordShape,
): string[] {
  return Object.entries(record).flatMap(([field, value]) => {
    const { unsent, sent } = partsOf(shape({ [field]: value }), [], named)
    if (!sent) return unsent.length === 0 ? [] : [field]
    return unsent.map(bracketPath)
  })
}

interface Parts {
  unsent: string[][]
  /** Whether anything is sent. */
  sent: boolean
}

function partsOf(value: unknown, path: readonly string[], named: readonly (readonly string[])[]): Parts {
  if (named.some((name) => name.length <= path.length && startsWith(path, name))) return { unsent: [], sent: true }
  const isPartial = named.some((name) => name.length > path.length && startsWith(name, path))
  if (!isPartial || typeof value !== 'object' || value === null) return { unsent: [[...path]], sent: false }
  const parts = Object.entries(value).map(([key, inner]) => partsOf(inner, [...path, key], named))
  return { unsent: parts.flatMap(({ unsent }) => unsent), sent: parts.some(({ sent }) => sent) }
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((name, at) => path[at] === name)
}
