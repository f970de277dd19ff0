/** The parts of JSON Schema that the arguments of tools use. */
export interface ArgumentSchema {
  /** With `null` if that removes a value. */
  type?: string | string[]
  description?: string
  enum?: (string | null)[]
  format?: string
  properties?: Record<string, ArgumentSchema>
  required?: string[]
  items?: ArgumentSchema
}

/** One argument, or one field inside `where` or `fields`, that a form asks for. */
export interface ArgumentField {
  /** Its names from the outside, as JSON: the key of its text. */
  key: string
  path: string[]
  schema: ArgumentSchema
  required: boolean
}

/** What somebody has typed, by the keys of fields. What is empty is left out of the call. */
export type ArgumentTexts = Record<string, string>

/** The text that stands for null, in a field that takes it. */
export const nullText = 'null'

/** Returns the type of an argument besides null. */
export function typeOf({ type }: ArgumentSchema): string | undefined {
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type
}

export function takesNull({ type }: ArgumentSchema): boolean {
  return Array.isArray(type) && type.includes('null')
}

/** Returns what a form asks for, required fields first. */
export function argumentFields(schema: ArgumentSchema, outer: string[] = []): ArgumentField[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, inner]): ArgumentField[] => {
    const path = [...outer, name]
    if (typeOf(inner) === 'object' && inner.properties) return argumentFields(inner, path)
    const required = schema.required?.includes(name) ?? false
    return [{ key: JSON.stringify(path), path, schema: inner, required }]
  })
  return fields.toSorted((one, other) => Number(other.required) - Number(one.required))
}

/** Returns the arguments that texts stand for. */
export function argumentsOf(fields: readonly ArgumentField[], texts: ArgumentTexts): Record<string, unknown> {
  // A map, because a name may be `__proto__`.
  const result = new Map<string, unknown>()
  for (const { key, path, schema } of fields) {
    const text = texts[key] ?? ''
    if (text === '') continue
    const [first = '', ...rest] = path
    const name = rest.at(-1)
    const value = typedValue(schema, text)
    if (name === undefined) result.set(first, value)
    else result.set(first, { ...(result.get(first) as object | undefined), [name]: value })
  }
  return Object.fromEntries(result)
}

/** Returns the texts of arguments, as far as the form has fields for them. */
export function textsOfArguments(fields: readonly ArgumentField[], values: Record<string, unknown>): ArgumentTexts {
  return Object.fromEntries(
    fields.flatMap(({ key, path, schema }) => {
      const value = valueAt(values, path)
      return value === undefined ? [] : [[key, textOf(schema, value)]]
    }),
  )
}

/** What the log of a call has in place of each value. */
const masked = '…'

/**
 * Returns what the log of a call knows of its arguments: the texts of ids and limits, and the fields whose values are
 * not stored. A log that is cut knows nothing.
 */
export function loggedArguments(
  fields: readonly ArgumentField[],
  logged: string | undefined,
): { texts: ArgumentTexts; masked: ArgumentField[] } {
  const values = parsedObject(logged)
  const all = textsOfArguments(fields, values)
  const hidden = fields.filter(({ key }) => all[key] === masked)
  const texts = Object.fromEntries(Object.entries(all).filter(([, text]) => text !== masked))
  return { texts, masked: hidden }
}

function parsedObject(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function valueAt(values: Record<string, unknown>, path: readonly string[]): unknown {
  let value: unknown = values
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

function typedValue(schema: ArgumentSchema, text: string): unknown {
  if (text === nullText && takesNull(schema)) return null
  const type = typeOf(schema)
  if (type === 'boolean') return text === 'true'
  if (type === 'array') return text.split('\n').filter((line) => line !== '')
  if (type === 'integer' || type === 'number') {
    const value = Number(text)
    // What is not a number is sent as it is: the service says what is wrong with it.
    return Number.isFinite(value) ? value : text
  }
  return type === undefined && /^[[{"]/.test(text) ? parsed(text) : text
}

/** JSON where it is JSON, else the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function textOf(schema: ArgumentSchema, value: unknown): string {
  if (typeOf(schema) === 'array' && Array.isArray(value)) return value.map(String).join('\n')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
