import { isObject, own, pathNames } from './path.ts'

/**
 * Returns the wanted fields of a record and of the values extracted from it. Values are not copied.
 */
export type FieldReader = (
  record: Record<string, unknown>,
  extracted?: ReadonlyMap<string, unknown>,
) => Record<string, unknown>

/** Values that stand in the record under other names, such as those of a list of custom fields. */
export type ExtractedFields = (record: Record<string, unknown>) => ReadonlyMap<string, unknown>

/**
 * @param wanted provider field names, bracket form for nested ones; names match without regard to case where the exact
 *   name is absent
 * @param flatten paths of objects in the record whose keys count as the record's own fields
 */
export function compileFields(wanted: 'all' | readonly string[], flatten: readonly string[]): FieldReader {
  const containers = flatten.map((path) => pathNames(path) ?? [])
  if (wanted === 'all') return (record, extracted) => everything(record, containers, extracted)
  return generate(
    [...new Set(wanted)].filter((name) => name.toLowerCase() !== '__proto__'),
    containers,
  )
}

type Missed = (
  record: Record<string, unknown>,
  name: string,
  extracted: ReadonlyMap<string, unknown> | undefined,
) => unknown

/**
 * Compiles the reader to a function, as a person would write it: it reads each field by its literal name, which the
 * engine turns into a load at a known offset. A loop over names is ten times slower (bench/mapping.ts), and each
 * further check of a value costs time as well. Only names go into the text, as JSON literals. The code for `email`, if
 * `properties` is flattened:
 *
 *     let v0 = record["email"]; if (v0 === undefined) { v0 = inside0["email"]; if (v0 === undefined) {
 *     v0 = missed(record, "email", extracted); if (v0 === undefined) whole = false; }}
 */
function generate(wanted: readonly string[], containers: readonly (readonly string[])[]): FieldReader {
  const lines = ["'use strict';", 'let whole = true;']
  containers.forEach((container, at) => {
    lines.push(`let inside${at} = ${safeLoads('record', container)};`)
    lines.push(`if (typeof inside${at} !== 'object' || inside${at} === null) inside${at} = nothing;`)
  })
  wanted.forEach((name, at) => {
    const nested = name.startsWith('$[') ? pathNames(name) : undefined
    const lookups =
      nested === undefined
        ? ['record', ...containers.map((_, from) => `inside${from}`)].map((container) => load(container, name))
        : [safeLoads('record', nested)]
    if (nested === undefined) lookups.push(`missed(record, ${JSON.stringify(name)}, extracted)`)
    lines.push(`let v${at} = ${lookups.join(`; if (v${at} === undefined) { v${at} = `)};`)
    lines.push(`if (v${at} === undefined) whole = false; ${'}'.repeat(lookups.length - 1)}`)
  })
  const keys = wanted.map((name) => JSON.stringify(name.toLowerCase()))
  // Whole, it is made in one piece; a field that is not there is no key.
  lines.push(`if (whole) return { ${keys.map((key, at) => `${key}: v${at}`).join(', ')} };`, 'const fields = {};')
  keys.forEach((key, at) => {
    lines.push(`if (v${at} !== undefined) fields[${key}] = v${at};`)
  })
  const missed: Missed = (record, name, values) => {
    const found = ownAnyCase(record, name)
    if (found !== undefined) return found
    for (const container of containers) {
      const value = ownAnyCase(valueAt(record, container), name)
      if (value !== undefined) return value
    }
    const extracted = values?.get(name.toLowerCase())
    return extracted === undefined ? insideAnyCase(record, name) : extracted
  }
  const text = `return (record, extracted) => {\n${lines.join('\n')}\nreturn fields;\n}`
  return new Function('missed', 'nothing', text)(missed, Object.freeze({})) as FieldReader
}

/** Compiles a path to a separate function, for values that are read of every record. */
export function compileLoad(path: string): (value: unknown) => unknown {
  const steps = (pathNames(path) ?? []).map(
    (name) => `if (typeof at !== 'object' || at === null) return undefined; at = ${load('at', name)};`,
  )
  return new Function('at', `'use strict'; ${steps.join(' ')} return at;`) as (value: unknown) => unknown
}

/**
 * Returns the code that reads an own property. Names that objects and lists inherit are guarded; all other names are
 * absent unless they are own properties.
 */
function load(value: string, name: string): string {
  const literal = JSON.stringify(name)
  return name in Array.prototype
    ? `(Object.hasOwn(${value}, ${literal}) ? ${value}[${literal}] : undefined)`
    : `${value}[${literal}]`
}

/** Reads own properties, one inside the other; undefined if a value on the path is not an object. */
function safeLoads(value: string, names: readonly string[]): string {
  return names.reduce(
    (at, name) => `((at) => typeof at === 'object' && at !== null ? ${load('at', name)} : undefined)(${at})`,
    value,
  )
}

function valueAt(record: Record<string, unknown>, names: readonly string[]): unknown {
  let value: unknown = record
  for (const name of names) value = own(value, name)
  return value
}

/** Field names reach us lower-cased when somebody copies them out of a message, so case does not count. */
function ownAnyCase(value: unknown, name: string): unknown {
  if (!isObject(value)) return undefined
  const lower = name.toLowerCase()
  for (const key in value) {
    if (key.length === name.length && key.toLowerCase() === lower && Object.hasOwn(value, key)) return value[key]
  }
  return undefined
}

/**
 * Query languages ask for a value inside a linked record by its names joined by dots (`Owner.Name`), and answer it
 * inside.
 */
function insideAnyCase(record: unknown, name: string): unknown {
  const names = name.split('.')
  return names.length < 2 ? undefined : names.reduce<unknown>(ownAnyCase, record)
}

function everything(
  record: Record<string, unknown>,
  containers: readonly (readonly string[])[],
  extracted: ReadonlyMap<string, unknown> | undefined,
): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.fromEntries(extracted ?? [])
  const flattened = new Set(containers.filter(({ length }) => length === 1).map(([name]) => name))
  for (const container of containers) put(fields, valueAt(record, container))
  put(fields, record, flattened)
  return fields
}

function put(fields: Record<string, unknown>, from: unknown, except?: ReadonlySet<string | undefined>): void {
  if (!isObject(from)) return
  for (const [key, value] of Object.entries(from)) {
    // Assigning this one name would set the prototype.
    const name = key.toLowerCase()
    if (name === '__proto__' || except?.has(key) === true) continue
    fields[name] = value
  }
}
