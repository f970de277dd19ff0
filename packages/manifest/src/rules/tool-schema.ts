import { type ToolSchema, toolTypeOf } from '../agent-tool.ts'
import { nearest } from '../nearest.ts'
import { type Entry, type Located, quote, type SourceLocation } from '../source/located.ts'
import { plainValue } from '../source/plain-value.ts'
import type { Scope } from './scope.ts'

const types = ['object', 'array', 'string', 'integer', 'number', 'boolean'] as const
const textKeys = ['minLength', 'maxLength', 'format', 'enum']
const numberKeys = ['minimum', 'maximum']
const keysOf: Record<(typeof types)[number], readonly string[]> = {
  object: ['properties', 'required', 'additionalProperties', 'minProperties'],
  array: ['items'],
  string: textKeys,
  integer: numberKeys,
  number: numberKeys,
  boolean: [],
}
const allKeys = ['type', 'description', ...new Set(Object.values(keysOf).flat())]

const depthMax = 6
const propertiesMax = 200
const descriptionLengthMax = 500
const valuesMax = 100
/** What templates can name, and what model APIs take. */
const propertyName = /^[a-zA-Z0-9_-]{1,64}$/

/**
 * What is known of the arguments of a tool. A part that has errors in it is `unknown`, so that templates which name
 * something in it get no second error.
 */
export type KnownArguments = 'unknown' | KnownObject | { type: string; takesNull: boolean }

export interface KnownObject {
  type: 'object'
  takesNull: boolean
  properties: ReadonlyMap<string, KnownArguments>
  required: 'unknown' | readonly string[]
}

/**
 * Reads the schema of the arguments of a tool. Each key must be one that calls are checked by: what looks like a rule
 * and is none would protect nothing.
 *
 * @returns no `schema` if it has errors; `known` also then, so that the request is checked in the same answer
 */
export function readToolSchema(
  scope: Scope,
  located: Located,
): { schema: ToolSchema | undefined; known: KnownArguments } {
  const reader: Reader = { scope, properties: 0, isGood: true, unknown: new Map() }
  const schema = readSchema(reader, located, 1)
  const isObject = schema?.type === 'object'
  if (schema && !isObject) fault(reader, located.place, 'The schema of arguments is one of an object.')
  const known = isObject ? knownArguments(reader, schema) : 'unknown'
  return { schema: reader.isGood ? schema : undefined, known }
}

function knownArguments({ unknown }: Pick<Reader, 'unknown'>, schema: ToolSchema | undefined): KnownArguments {
  const type = schema && toolTypeOf(schema)
  if (schema === undefined || type === undefined) return 'unknown'
  const takesNull = Array.isArray(schema.type)
  if (type !== 'object') return { type, takesNull }
  if (unknown.get(schema)?.has('properties')) return 'unknown'
  const properties = Object.entries(schema.properties ?? {})
  return {
    type: 'object',
    takesNull,
    properties: new Map(properties.map(([name, inner]) => [name, knownArguments({ unknown }, inner)])),
    required: unknown.get(schema)?.has('required') ? 'unknown' : (schema.required ?? []),
  }
}

interface Reader {
  scope: Scope
  properties: number
  isGood: boolean
  /** Keys of a schema whose values have errors. */
  unknown: Map<ToolSchema, ReadonlySet<string>>
}

function fault(reader: Reader, place: SourceLocation, message: string, suggestion?: string): void {
  reader.isGood = false
  reader.scope.report('agent-tool-schema', place, {
    message,
    suggestion: suggestion ?? 'Write `type: object` with `properties` and `required`, as in JSON Schema.',
  })
}

function readSchema(reader: Reader, located: Located, depth: number): ToolSchema | undefined {
  if (located.kind !== 'map' || depth > depthMax) {
    fault(reader, located.place, depth > depthMax ? `A schema has at most ${depthMax} levels.` : 'It is not a schema.')
    return undefined
  }
  const entries = new Map(located.entries.map((entry) => [entry.key, entry]))
  const declared = entries.get('type')
  const { type, takesNull } = readType(declared?.value)
  if (type === undefined) {
    fault(
      reader,
      declared?.value.place ?? located.place,
      'A schema has no `type` that tools know.',
      `Types: ${types.join(', ')}. \`type: [string, 'null']\` takes null, too.`,
    )
    return undefined
  }
  const known = ['type', 'description', ...keysOf[type]]
  const schema: Record<string, unknown> = { type: takesNull ? [type, 'null'] : type }
  const unknown = new Set<string>()
  for (const entry of located.entries) {
    if (entry.key === 'type') continue
    if (!known.includes(entry.key)) {
      const meant = nearest(entry.key, known)
      const why = allKeys.includes(entry.key) ? `has no meaning for ${type}` : 'is not a key that tools know'
      const suggestion = meant ? `Did you mean ${meant}?` : `Keys: ${known.join(', ')}.`
      fault(reader, entry.keyLocation, `${quote(entry.key)} ${why}.`, suggestion)
      if (meant !== undefined) unknown.add(meant)
      continue
    }
    const value = readKey(reader, entry, { depth, takesNull })
    if (value !== undefined) schema[entry.key] = value
    else unknown.add(entry.key)
  }
  const read = schema as ToolSchema
  reader.unknown.set(read, unknown)
  for (const name of read.required ?? [])
    if (!Object.hasOwn(read.properties ?? {}, name))
      fault(
        reader,
        entries.get('required')?.keyLocation ?? located.place,
        `The property ${quote(name)} does not exist.`,
      )
  return read
}

/** Returns the type that `type` names, alone or in a list with null. */
function readType(located: Located | undefined): { type: (typeof types)[number] | undefined; takesNull: boolean } {
  const declared = located && plainValue(located)
  const names: unknown[] = Array.isArray(declared) ? declared : [declared]
  // In YAML, `null` without quotes is the value and not the text.
  const isNull = (name: unknown) => name === 'null' || (name === null && Array.isArray(declared))
  const others = names.filter((name) => !isNull(name))
  const type = others.length === 1 ? types.find((one) => one === others[0]) : undefined
  return { type, takesNull: others.length < names.length }
}

function readKey(
  reader: Reader,
  { key, keyLocation, value: located }: Entry,
  { depth, takesNull }: { depth: number; takesNull: boolean },
): unknown {
  const value = plainValue(located)
  const check = (isGood: boolean, due: string) => {
    if (!isGood) fault(reader, located.place, `\`${key}\` is ${due}.`, `Write ${due}.`)
    return isGood ? value : undefined
  }
  switch (key) {
    case 'properties':
      return readProperties(reader, located, keyLocation, depth)
    case 'items':
      return readSchema(reader, located, depth + 1)
    case 'required':
      return check(isTexts(value), `a list of at most ${valuesMax} texts`)
    case 'enum': {
      // As JSON Schema: a type with null and choices without it would refuse null.
      if (!takesNull) return check(isTexts(value), `a list of at most ${valuesMax} texts`)
      const isGood = Array.isArray(value) && value.includes(null) && isTexts(value.filter((one) => one !== null))
      return check(isGood, `a list of null and at most ${valuesMax} texts, because the type takes null`)
    }
    case 'additionalProperties':
      return check(value === false, 'false')
    case 'description':
      return check(
        typeof value === 'string' && value.length <= descriptionLengthMax,
        `a text of at most ${descriptionLengthMax} characters`,
      )
    case 'format':
      return check(typeof value === 'string', 'a text')
    case 'minimum':
    case 'maximum':
      return check(typeof value === 'number' && Number.isFinite(value), 'a number')
    default:
      return check(Number.isSafeInteger(value) && Number(value) >= 0, 'a whole number from 0')
  }
}

function readProperties(reader: Reader, located: Located, place: SourceLocation, depth: number): unknown {
  if (located.kind !== 'map') {
    fault(reader, place, '`properties` is a mapping of names and schemas.')
    return undefined
  }
  reader.properties += located.entries.length
  if (reader.properties > propertiesMax) {
    fault(reader, place, `A tool has at most ${propertiesMax} properties.`, 'Declare several tools.')
    return undefined
  }
  const read = located.entries.map(({ key, keyLocation, value }) => {
    if (!propertyName.test(key))
      fault(reader, keyLocation, `The name ${quote(key)} is not 1 to 64 letters, digits, \`-\` or \`_\`.`, 'Rename it.')
    return [key, readSchema(reader, value, depth + 1)] as const
  })
  return Object.fromEntries(read)
}

function isTexts(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= valuesMax &&
    value.every((item) => typeof item === 'string' && item.length <= 200)
  )
}
