import { ObjectOutline, ProviderFileOutline, ProviderObject } from './format/provider-file.ts'

/**
 * JSON Schema (draft-07) of a provider file, for editors: it completes keys and explains them. Made of the declarations
 * that check files. An object may leave out what its template says (`like`), so that nothing inside of objects is
 * required here, and null takes a part of the template away; loading a file checks each object whole.
 */
export const providerFileSchema = (): Record<string, unknown> => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...(withObjects(ProviderFileOutline) as object),
})

function withObjects(schema: unknown): unknown {
  if (schema === ObjectOutline) return partial(ProviderObject)
  if (Array.isArray(schema)) return schema.map(withObjects)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withObjects(value)]))
}

function partial(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(partial)
  if (typeof schema !== 'object' || schema === null) return schema
  const { required: _, ...rest } = schema as Record<string, unknown>
  const parts = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, partial(value)]))
  return orNull(parts)
}

/** Nothing of a template has to stay: not an object, nor a single parameter of a query. */
function orNull(schema: Record<string, unknown>): Record<string, unknown> {
  const { type } = schema
  const types = typeof type === 'string' ? [type] : Array.isArray(type) ? (type as unknown[]) : []
  return types.length === 0 ? schema : { ...schema, type: [...new Set([...types, 'null'])] }
}
