/** What a provider sends back (RFC 6749, 4.1.2; RFC 9207). */
export interface CallbackParameters {
  state: string
  code?: string
  error?: string
  /** Who says that it answers. */
  iss?: string
  /** What else it said, by name: parameters of its own, such as the account. */
  further?: Record<string, string>
}

/** Characters at most. Codes are opaque and some providers' are long; the others are words and addresses. */
const longest = { state: 43, code: 8_192, error: 200, iss: 2_000 }
/** Parameters of a provider's own that are looked at; those that are longer, or come twice, are none. */
const furtherMax = 20
const furtherCharactersMax = 200

/**
 * Undefined for what no answer to a flow of ours looks like: without a state of ours, with a parameter twice, too long,
 * or not text.
 */
export function callbackParameters(query: URLSearchParams): CallbackParameters | undefined {
  const found: Partial<Record<keyof typeof longest, string>> = {}
  for (const [name, most] of Object.entries(longest) as [keyof typeof longest, number][]) {
    const values = query.getAll(name)
    const [value] = values
    if (value === undefined) continue
    // RFC 6749, 3.1: no parameter comes more than once. Which of two would count is a question not to be asked.
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

/** RFC 6749, A: codes and errors are printable ASCII. */
function isText(value: string): boolean {
  return /^[\x20-\x7e]*$/.test(value)
}
