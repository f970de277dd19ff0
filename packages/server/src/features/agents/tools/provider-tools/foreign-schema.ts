import { orNull, type ToolSchema, type ToolType, toolTypeOf } from '@mortise/manifest'
import { isSafeValue, safeText } from '../safe-text.ts'

const depthMax = 8
const nodesMax = 1_000
const descriptionMax = 300
const valuesMax = 200
const nameForm = /^[a-zA-Z0-9_.$-]{1,64}$/
const types = ['object', 'array', 'string', 'integer', 'number', 'boolean'] as const
const formats = ['date', 'date-time', 'time', 'email', 'uri', 'uuid']

type JsonSchema = Record<string, unknown>

/** What a schema is read with: where its own references lead, and how much is left to read. */
interface Reading {
  root: JsonSchema
  nodes: number
}

/**
 * Returns the schema of a foreign tool in the parts of JSON Schema that tools of Mortise use. Texts become one short
 * line. What these parts cannot say, such as patterns and alternatives, takes any value: the server checks it.
 * References are followed within the schema only. Undefined for a schema that is too large, or that requires an
 * argument whose name models cannot write.
 */
export function foreignSchema(root: JsonSchema): ToolSchema | undefined {
  const reading = { root, nodes: 0 }
  const schema = convert(root, reading, 0)
  if (reading.nodes > nodesMax || toolTypeOf(schema) !== 'object') return undefined
  const properties = schema.properties ?? {}
  if (schema.required?.some((name) => !Object.hasOwn(properties, name))) return undefined
  return { ...schema, type: 'object', properties, additionalProperties: false }
}

function convert(given: unknown, reading: Reading, depth: number): ToolSchema {
  reading.nodes += 1
  if (!isSchema(given) || depth > depthMax || reading.nodes > nodesMax) return {}
  const target = targetOf(given, reading.root)
  if (target) return { ...convert(target, reading, depth + 1), ...describing(given) }
  const [only, isNullable] = alternative(given)
  if (only) {
    const inner = { ...convert(only, reading, depth + 1), ...describing(given) }
    return isNullable ? orNull(inner) : inner
  }
  const [type, takesNull] = typeOf(given)
  const schema = type === undefined ? describing(given) : ofType(type, given, reading, depth)
  return takesNull ? orNull(schema) : schema
}

function ofType(type: ToolType, given: JsonSchema, reading: Reading, depth: number): ToolSchema {
  const common = describing(given)
  switch (type) {
    case 'object':
      return { type, ...common, ...objectParts(given, reading, depth) }
    case 'array':
      return { type, ...common, items: convert(given['items'], reading, depth + 1) }
    case 'string':
      return { type, ...common, ...textParts(given) }
    case 'boolean':
      return { type, ...common }
    default:
      return { type, ...common, ...numbers(given, ['minimum', 'maximum']) }
  }
}

function objectParts(given: JsonSchema, reading: Reading, depth: number): ToolSchema {
  const { properties, required, additionalProperties } = given
  if (!isSchema(properties)) return additionalProperties === false ? { properties: {}, additionalProperties } : {}
  const known = Object.entries(properties).flatMap(([name, inner]): [string, ToolSchema][] =>
    nameForm.test(name) && name !== '__proto__' ? [[name, convert(inner, reading, depth + 1)]] : [],
  )
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string').slice(0, nodesMax) : []
  // Arguments that the schema does not name could get past the rules. Fields of a value are the server's business.
  const isOpen = depth > 0 && additionalProperties !== undefined && additionalProperties !== false
  return {
    properties: Object.fromEntries(known),
    ...(names.length > 0 && { required: names }),
    ...(isOpen ? { additionalProperties: true } : { additionalProperties: false }),
  }
}

function textParts(given: JsonSchema): ToolSchema {
  const { enum: listed, const: constant, format } = given
  const values = Array.isArray(listed)
    ? listed.filter((value) => value !== null)
    : typeof constant === 'string'
      ? [constant]
      : []
  const safe = values.filter((value): value is string => typeof value === 'string' && isSafeValue(value))
  const isListed = values.length > 0 && safe.length === values.length && values.length <= valuesMax
  return {
    ...(isListed && { enum: safe }),
    ...(typeof format === 'string' && formats.includes(format) && { format }),
    ...numbers(given, ['minLength', 'maxLength']),
  }
}

function numbers(given: JsonSchema, keys: readonly ('minimum' | 'maximum' | 'minLength' | 'maxLength')[]): ToolSchema {
  return Object.fromEntries(keys.flatMap((key) => (Number.isFinite(given[key]) ? [[key, given[key] as number]] : [])))
}

function describing({ description, title }: JsonSchema): { description?: string } {
  const text = typeof description === 'string' ? description : typeof title === 'string' ? title : ''
  const safe = safeText(text, descriptionMax)
  return safe === undefined ? {} : { description: safe }
}

/** Returns the type, and whether null is one, too; none if there are several. */
function typeOf({ type }: JsonSchema): [(typeof types)[number] | undefined, boolean] {
  const all: unknown[] = Array.isArray(type) ? type : [type]
  const others = all.filter((one) => one !== 'null')
  const known = others.length === 1 ? types.find((one) => one === others[0]) : undefined
  return [known, others.length < all.length]
}

/** Returns the only alternative besides null. */
function alternative({ anyOf, oneOf, allOf }: JsonSchema): [JsonSchema | undefined, boolean] {
  const all = [anyOf, oneOf, allOf].find((one): one is unknown[] => Array.isArray(one)) ?? []
  const others = all.filter((one) => !(isSchema(one) && one['type'] === 'null'))
  const [only] = others
  return [others.length === 1 && isSchema(only) ? only : undefined, others.length < all.length]
}

/** Returns what a reference within the schema leads to. References to other documents are not followed. */
function targetOf({ $ref }: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  if (typeof $ref !== 'string') return undefined
  const [, parent = '', name = ''] = /^#\/(\$defs|definitions)\/([\w.-]{1,200})$/.exec($ref) ?? []
  const all = Object.hasOwn(root, parent) ? root[parent] : undefined
  const found = isSchema(all) && Object.hasOwn(all, name) ? all[name] : undefined
  return isSchema(found) ? found : undefined
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
