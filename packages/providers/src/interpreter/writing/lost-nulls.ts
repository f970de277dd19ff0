import type { UnsentField } from '../../connector.ts'
import { isObject } from '../path.ts'
import { compileBody } from '../request-body.ts'
import { outerVariables } from '../scope.ts'
import type { RecordShape } from './record-shape.ts'
import { itemParts } from './unsent-fields.ts'

/** Which nulls of a record a request loses: a template is left out if its variable is null. */
export interface LostNulls {
  /** Values of the record that the request names, such as `['address', 'city']`. */
  named: readonly (readonly string[])[]
  /** Those that it sends as they are, so that null is sent, too. */
  kept: readonly (readonly string[])[]
  /** Whether it sends the rest of the record as it is. */
  isRestKept: boolean
}

/**
 * @param record name of the variable that has the record
 * @param others names of the other variables that have all of it
 */
export function compileLostNulls(
  variables: Iterable<string>,
  body: unknown,
  record = 'record',
  others: readonly string[] = ['changes'],
): LostNulls {
  const values = valueVariables(body)
  return {
    named: recordPaths(variables, `${record}.`),
    kept: recordPaths(values, `${record}.`),
    isRestKept: [record, ...others].some((name) => values.includes(name)),
  }
}

/** The same for the body of a batch, with what it sends of each item. */
export function compileLostNullsOfItems(body: unknown): LostNulls {
  const parts = itemParts(body)
  return compileLostNulls(
    parts.flatMap((part) => compileBody(part).variables),
    parts,
    'item.record',
    ['item'],
  )
}

function recordPaths(variables: Iterable<string>, start: string): string[][] {
  return [...variables].flatMap((name) => (name.startsWith(start) ? [name.slice(start.length).split('.')] : []))
}

/** Returns the variables that a body sends with their types, without those of the items of its lists. */
function valueVariables(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(valueVariables)
  if (!isObject(part)) return []
  const named = [part['$value'], part['$spread'], part['$each']].filter((name) => typeof name === 'string')
  const { $item: item, ...rest } = part
  return [...named, ...outerVariables(valueVariables(item)), ...Object.values(rest).flatMap(valueVariables)]
}

/** Returns the fields of these records whose null is not sent. */
export function lostNulls(
  records: readonly Readonly<Record<string, unknown>>[],
  lost: LostNulls,
  shape: RecordShape,
): UnsentField[] {
  if (lost.named.length === 0) return []
  const found = new Map<string, number[]>()
  for (const [index, record] of records.entries())
    for (const [field, value] of Object.entries(record))
      if (hasLostNull(shape({ [field]: value }), [], lost)) found.set(field, [...(found.get(field) ?? []), index])
  return [...found].map(([field, indexes]) => ({ field, records: indexes, isNull: true }))
}

function hasLostNull(value: unknown, path: readonly string[], lost: LostNulls): boolean {
  if (isObject(value)) return Object.entries(value).some(([key, inner]) => hasLostNull(inner, [...path, key], lost))
  if (value !== null || !lost.named.some((name) => startsWith(path, name))) return false
  if (lost.kept.some((name) => startsWith(path, name))) return false
  // Values that have a variable of one name are not in the rest.
  const isApart = lost.named.some((name) => name.length === 1 && name[0] === path[0])
  return !lost.isRestKept || isApart
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((name, at) => path[at] === name)
}
