/** Parameters that a provider sends to the redirect URL (RFC 6749, 4.1.2; RFC 9207). */
export interface CallbackParameters {
  state: string
  code?: string
  error?: string
  /** Issuer identifier that the response claims. */
  iss?: string
  /** Other parameters by name: the provider's extensions, such as the account. */
  further?: Record<string, string>
}

/** Maximum length in characters. Codes are opaque, and long at some providers; the others are words and addresses. */
const longest = { state: 43, code: 8_192, error: 200, iss: 2_000 }
/** Limits on the provider's extension parameters. Longer or repeated ones are ignored. */
const furtherMax = 20
const furtherCharactersMax = 200

/**
 * Parses the query of the callback. Returns undefined if it cannot answer one of our flows: it has no state of ours,
 * repeats a parameter, or holds a value that is too long or not text.
 */
export function callbackParameters(query: URLSearchParams): CallbackParameters | undefined {
  const found: Partial<Record<keyof typeof longest, string>> = {}
  for (const [name, most] of Object.entries(longest) as [keyof typeof longest, number][]) {
    const values = query.getAll(name)
    const [value] = values
    if (value === undefined) continue
    // RFC 6749, 3.1: a parameter must not be repeated. Do not guess which value counts.
    if (values.length > 1 || value.length > most || !isText(value)) return undefined
    if (value !== '') found[name] = value
  }
  const { state, ...others } = found
  if (state === undefined || !/^[A-Za-z0-9_-]{43}$/.test(state)) return undefined
  const further = furtherOf(query)
  return { state, ...others, ...(further && { further }) }
}

function furtherOf(query: URLSearchParams): Record<string, string> | undefined {
  const names = [...new Set(query.keys())].filter((name) => !Object.hasOwn(longest, name)).slice(0, furtherMax)
  const found = names.flatMap((name): [string, string][] => {
    const [value = '', ...more] = query.getAll(name)
    const fits = more.length === 0 && value !== '' && isText(value) && isText(name)
    return fits && Math.max(value.length, name.length) <= furtherCharactersMax ? [[name, value]] : []
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** RFC 6749, appendix A: codes and errors are printable ASCII. */
function isText(value: string): boolean {
  return /^[\x20-\x7e]*$/.test(value)
}
