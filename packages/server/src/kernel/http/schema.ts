import { type Static, type TProperties, type TSchema, Type } from 'typebox'

/** Not enumerable, like TypeBox's own marks, so that `Type.Optional` and others copy it with the schema. */
const nameMark = '~name'

/** Names a schema; the OpenAPI document lists it under that name in `components.schemas`. */
export function named<T extends TSchema>(name: string, schema: T): T {
  return Object.defineProperty(schema, nameMark, { value: name, configurable: true, writable: true, enumerable: false })
}

export function nameOf(schema: object): string | undefined {
  return (schema as { [nameMark]?: string })[nameMark]
}

/** An RFC 3339 date-time. Responses may contain a Date. */
export const Timestamp = Type.Unsafe<string | Date>({ type: 'string', format: 'date-time' })

/** One of the listed words, as `enum`, so that a wrong one is one issue. */
export function Enum<const T extends string[]>(
  values: [...T],
  options: { description?: string; default?: T[number] } = {},
) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: values, ...options })
}

/** A map from name to T. */
export function MapOf<T extends TSchema>(schema: T, options: { description?: string } = {}) {
  return Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: schema, ...options })
}

/** A free-form object, kept complete. */
export const FreeForm = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

/** An empty body. */
export const Empty = Type.Null()

/** Marks a credential: problems never show a value at or below it, and a response that contains one is `no-store`. */
export function secret<T extends TSchema>(schema: T): T {
  return Object.assign(schema, { 'x-secret': true })
}

/**
 * Marks a property of a customer's resource that names no person and no company: the audit log shows it, and leaves out
 * the others, because an entry outlives the erasure of a customer.
 */
export function audited<T extends TSchema>(schema: T): T {
  return Object.assign(schema, { 'x-audited': true })
}

/** Path parameters: all required, non-empty strings. */
export function Path<P extends TProperties>(properties: P) {
  return Type.Object(properties)
}

/** A path parameter that names a row: an id, or a name where the endpoint allows it. */
export const Ref = Type.String({ minLength: 1, maxLength: 512 })

/** `{projectIdOrName}`: the id, or the name in any case. */
export const ProjectPath = Type.Object({ projectIdOrName: Ref })
