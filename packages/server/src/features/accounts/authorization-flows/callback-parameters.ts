/** Parameters that a provider sends to the redirect URL (RFC 6749, 4.1.2; RFC 9207). */
export interface CallbackParameters {
  state: string
  code?: string
  error?: string
  /** Issuer identifier that the response claims. */
  iss?: string
  /** Other parameters by name: the provider's extensions, such as the account. */
  further?: Record<string, string>
  /** The same with all that are no longer than a code: for providers that send it under another name. */
  codes: Record<string, string>
}

/** Maximum length in characters. Codes are opaque, and long at some providers; the others are words and addresses. */
const longest = { state: 43, code: 8_192, error: 200, iss: 2_000 }
/** Limits on the provider's extension parameters that show the account. Longer or repeated ones are ignored. */
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
  const codes = singleValuesOf(query)
  const further = codes
    .filter(([name, value]) => Math.max(value.length, name.length) <= furtherCharactersMax)
    .slice(0, furtherMax)
  return {
    state,
    ...others,
    ...(further.length > 0 && { further: Object.fromEntries(further) }),
    codes: Object.fromEntries(codes),
  }
}

/** The provider's extension parameters that are not repeated. */
function singleValuesOf(query: URLSearchParams): [string, string][] {
  const names = [...new Set(query.keys())].filter((name) => !Object.hasOwn(longest, name))
  return names.flatMap((name): [string, string][] => {
    const [value = '', ...more] = query.getAll(name)
    const fits = more.length === 0 && value !== '' && isText(value) && isText(name)
    return fits && value.length <= longest.code ? [[name, value]] : []
  })
}

/** RFC 6749, appendix A: codes and errors are printable ASCII. */
function isText(value: string): boolean {
  return /^[\x20-\x7e]*$/.test(value)
}
