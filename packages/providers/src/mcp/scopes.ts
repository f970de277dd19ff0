const scopesMax = 100
const scopeCharactersMax = 200

/** Returns those that are scopes (RFC 6749, 3.3), each once. Servers name them, so anything may come. */
export function scopesIn(values: readonly unknown[] = []): string[] {
  const scopes = values.filter(
    (value): value is string =>
      typeof value === 'string' && value.length <= scopeCharactersMax && /^[!#-[\]-~]+$/.test(value),
  )
  return [...new Set(scopes)].slice(0, scopesMax)
}
