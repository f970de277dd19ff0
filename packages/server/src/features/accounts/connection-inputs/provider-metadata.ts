/**
 * Returns `providerMetadata` as it is stored: a plain value becomes `{value, source: "input"}`, and an object with a
 * value and no source gets that source. Anything else stays as it is. Returns undefined for a value that is not an
 * object.
 */
export function normalizeMetadata(input: unknown): Record<string, unknown> | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, metadataItem(value)]))
}

function metadataItem(item: unknown): unknown {
  if (isPlain(item)) return { value: item, source: 'input' }
  if (isObject(item) && Object.hasOwn(item, 'value') && !Object.hasOwn(item, 'source'))
    return { ...item, source: 'input' }
  return item
}

/** Returns the values of `providerMetadata` by name, as text for templates. Values that are not plain are left out. */
export function metadataValues(metadata: Record<string, unknown> | null | undefined): Record<string, string> {
  const values: Record<string, string> = Object.create(null)
  for (const [name, item] of Object.entries(metadata ?? {})) {
    const value = isObject(item) && Object.hasOwn(item, 'value') ? item['value'] : item
    if (isPlain(value) && value !== '') values[name] = String(value)
  }
  return values
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
