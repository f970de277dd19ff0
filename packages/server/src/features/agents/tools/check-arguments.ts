import { nearest, type ToolSchema, type ToolType, toolTypeOf } from '@mortise/manifest'
import { ToolError } from './tool-error.ts'

/** Largest arguments, as JSON. */
const bytesMax = 65_536
const faultsMax = 20

/**
 * Returns what is wrong with arguments, in sentences for the agent that sent them; empty if they fit. Knows exactly the
 * schemas of tools, so that no schema with names of a provider is compiled.
 *
 * @param refused sentences about arguments that rules refuse, by name: in place of what the schema says of them
 */
export function argumentFaults(schema: ToolSchema, value: unknown, refused: Refused = new Map()): string[] {
  if (Buffer.byteLength(JSON.stringify(value) ?? '') > bytesMax)
    return [`The arguments are larger than ${bytesMax / 1024} kB. Send less.`]
  const faults: string[] = []
  check(schema, value, 'arguments', { faults, refused })
  const more = faults.length - faultsMax
  return more > 0 ? [...faults.slice(0, faultsMax), `${more} more errors.`] : faults
}

/** @throws ToolError if there are faults */
export function refuseFaults(faults: string[]): void {
  if (faults.length === 0) return
  throw new ToolError({
    code: 'arguments_refused',
    message: 'The arguments cannot be used. Correct them and call again.',
    details: faults,
  })
}

type Refused = ReadonlyMap<string, string>

interface Checking {
  faults: string[]
  refused: Refused
}

function check(schema: ToolSchema, value: unknown, name: string, checking: Checking): void {
  const { faults, refused } = checking
  const refusal = refused.get(name)
  if (refusal !== undefined) {
    faults.push(refusal)
    return
  }
  const type = toolTypeOf(schema)
  if (type === undefined || (value === null && Array.isArray(schema.type))) return
  if (!hasType(type, value)) {
    faults.push(`${name} must be ${typeNames[type]}${value === null ? ', not null' : ''}.`)
    return
  }
  if (typeof value === 'string') checkText(schema, value, name, faults)
  if (typeof value === 'number') {
    const { minimum = -Infinity, maximum = Infinity } = schema
    if (value < minimum || value > maximum) faults.push(`${name} must be from ${minimum} to ${maximum}.`)
  }
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) check(schema.items ?? {}, item, `${name}[${index}]`, checking)
  else if (typeof value === 'object' && value !== null) checkObject(schema, value, name, checking)
}

function checkText(schema: ToolSchema, value: string, name: string, faults: string[]): void {
  const { minLength = 0, maxLength = Infinity, enum: values } = schema
  if (value.length < minLength)
    faults.push(value === '' ? `${name} is empty.` : `${name} has fewer than ${minLength} characters.`)
  if (value.length > maxLength) faults.push(`${name} has more than ${maxLength} characters.`)
  if (values && !values.includes(value))
    faults.push(`${name} must be one of: ${values.filter((one) => one !== null).join(', ')}.`)
}

function checkObject(schema: ToolSchema, value: object, name: string, checking: Checking): void {
  const { faults } = checking
  const properties = new Map(Object.entries(schema.properties ?? {}))
  const { minProperties = 0, additionalProperties: isOpen = schema.properties === undefined } = schema
  for (const required of schema.required ?? [])
    if (!Object.hasOwn(value, required)) faults.push(`${name}.${required} is missing.`)
  if (Object.keys(value).length < minProperties)
    faults.push(`${name} needs at least ${minProperties === 1 ? 'one field' : `${minProperties} fields`}.`)
  for (const [key, inner] of Object.entries(value)) {
    const property = properties.get(key)
    if (property) {
      check(property, inner, `${name}.${key}`, checking)
      continue
    }
    if (isOpen) continue
    const known = [...properties.keys()]
    const meant = nearest(key, known)
    const shown = JSON.stringify(key.slice(0, 80).toWellFormed())
    const instead =
      meant !== undefined ? `Did you mean ${meant}?` : `Allowed: ${known.slice(0, 50).join(', ') || 'none'}.`
    faults.push(`${name} has no field ${shown} that you may use. ${instead}`)
  }
}

const typeNames = {
  object: 'an object',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
}

function hasType(type: ToolType, value: unknown): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isSafeInteger(value)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    default:
      return typeof value === type
  }
}
