import { isObject, own, pathNames } from './path.ts'

/** Takes the wanted fields out of a record. No copies: values are the record's own. */
export type FieldReader = (record: Record<string, unknown>) => Record<string, unknown>

/**
 * @param wanted provider field names, bracket form for nested ones; names match without regard to case where the exact name is absent
 * @param flatten names of objects in the record whose keys count as the record's own fields
 */
export function compileFields(wanted: 'all' | readonly string[], flatten: readonly string[]): FieldReader {
  const containers = flatten.map((path) => pathNames(path) ?? [])
  if (wanted === 'all') return (record) => everything(record, containers)
  const readers = [...new Set(wanted)]
    .filter((name) => name !== '__proto__')
    .map((name) => ({ key: name.toLowerCase(), read: fieldOf(name, containers) }))
  return (record) => {
    const fields: Record<string, unknown> = {}
    for (const { key, read } of readers) {
      const value = read(record)
      if (value !== undefined) fields[key] = value
    }
    return fields
  }
}

function fieldOf(name: string, containers: readonly string[][]): (record: Record<string, unknown>) => unknown {
  const names = name.startsWith('$[') ? pathNames(name) : undefined
  if (names !== undefined) return (record) => valueAt(record, names)
  return (record) => {
    const found = ownAnyCase(record, name)
    if (found !== undefined) return found
    for (const container of containers) {
      const value = ownAnyCase(valueAt(record, container), name)
      if (value !== undefined) return value
    }
    return undefined
  }
}

function valueAt(record: Record<string, unknown>, names: readonly string[]): unknown {
  let value: unknown = record
  for (const name of names) value = own(value, name)
  return value
}

/** Field names reach us lower-cased when somebody copies them out of a message, so case does not count. */
function ownAnyCase(value: unknown, name: string): unknown {
  if (!isObject(value)) return undefined
  if (Object.hasOwn(value, name)) return value[name]
  const lower = name.toLowerCase()
  for (const key in value) {
    if (key.length === name.length && key.toLowerCase() === lower && Object.hasOwn(value, key)) return value[key]
  }
  return undefined
}

function everything(record: Record<string, unknown>, containers: readonly string[][]): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  const flattened = new Set(containers.filter(({ length }) => length === 1).map(([name]) => name))
  for (const container of containers) put(fields, valueAt(record, container))
  put(fields, record, flattened)
  return fields
}

function put(fields: Record<string, unknown>, from: unknown, except?: ReadonlySet<string | undefined>): void {
  if (!isObject(from)) return
  for (const [key, value] of Object.entries(from)) {
    // Assigning this one name would set the prototype.
    if (key === '__proto__' || except?.has(key) === true) continue
    fields[key.toLowerCase()] = value
  }
}
