/** The parts of a JSON schema that say whether a text is a literal. */
type Schema = Record<string, unknown>

/**
 * Marks every text of a schema that no format, choice or pattern describes as `literal`, keys of maps included: braces
 * in it would reach the provider as they stand. A new key of the format is checked so by default, and has to say where
 * it takes templates.
 */
export function withLiteralTexts<T>(schema: T): T {
  return mark(schema) as T
}

function mark(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mark)
  if (typeof value !== 'object' || value === null) return value
  const schema: Schema = Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, dataKeys.has(key) ? part : mark(part)]),
  )
  if (isLiteral(schema)) schema['format'] = 'literal'
  if ('patternProperties' in schema && !('propertyNames' in schema)) schema['propertyNames'] = { format: 'literal' }
  return schema
}

/** Keys of a schema that hold values, not schemas. */
const dataKeys = new Set(['enum', 'const', 'default', 'required', 'discriminator'])
const describing = ['format', 'enum', 'const', 'pattern']

function isLiteral(schema: Schema): boolean {
  return [schema['type']].flat().includes('string') && !describing.some((key) => key in schema)
}
