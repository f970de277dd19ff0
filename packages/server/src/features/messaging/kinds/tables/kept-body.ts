import { isAboutRecord } from './rows.ts'

/** Keys of an entry that say what happened, and no value of a record. */
const plainKeys = ['id', 'subscribeEventType', 'providerEventType', 'fieldsUpdated', 'deleted'] as const
const sideKeys = ['id', 'objectName', 'rawObjectName'] as const
const sides = ['fromRecord', 'toRecord'] as const

/**
 * Returns a message that is kept as it is, without values of records, where those of deleted records must not stay. It
 * has the entries that no row is about, with what happened to which records.
 */
export function bodyWithoutValues(body: object): object {
  const { result, ...rest } = body as { result?: unknown }
  if (!Array.isArray(result)) return body
  return { ...rest, result: result.filter((entry) => !isAboutRecord(entry as object)).map(withoutValues) }
}

function withoutValues(entry: unknown): object {
  const linked = sides.map((side) => [side, valueAt(entry, side)] as const).filter(([, found]) => found !== undefined)
  return {
    ...picked(entry, plainKeys),
    ...Object.fromEntries(linked.map(([side, found]) => [side, picked(found, sideKeys)])),
  }
}

function picked(from: unknown, keys: readonly string[]): object {
  const found = keys.map((key) => [key, valueAt(from, key)] as const).filter(([, value]) => value !== undefined)
  return Object.fromEntries(found)
}

function valueAt(from: unknown, key: string): unknown {
  return typeof from === 'object' && from !== null ? (from as Record<string, unknown>)[key] : undefined
}
