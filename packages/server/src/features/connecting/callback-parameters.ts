/** What a provider sends back (RFC 6749, 4.1.2; RFC 9207). */
export interface CallbackParameters {
  state: string
  code?: string
  error?: string
  /** Who says that it answers. */
  iss?: string
}

/** Characters at most. Codes are opaque and some providers' are long; the others are words and addresses. */
const longest = { state: 43, code: 8_192, error: 200, iss: 2_000 }

/** Undefined for what no answer to a flow of ours looks like: without a state of ours, with a parameter twice, too long, or not text. */
export function callbackParameters(query: URLSearchParams): CallbackParameters | undefined {
  const found: Partial<Record<keyof CallbackParameters, string>> = {}
  for (const [name, most] of Object.entries(longest) as [keyof CallbackParameters, number][]) {
    const values = query.getAll(name)
    const [value] = values
    if (value === undefined) continue
    // RFC 6749, 3.1: no parameter comes more than once. Which of two would count is a question not to be asked.
    if (values.length > 1 || value.length > most || !isText(value)) return undefined
    if (value !== '') found[name] = value
  }
  const { state, ...others } = found
  if (state === undefined || !/^[A-Za-z0-9_-]{43}$/.test(state)) return undefined
  return { state, ...others }
}

/** RFC 6749, A: codes and errors are printable ASCII. */
function isText(value: string): boolean {
  return /^[\x20-\x7e]*$/.test(value)
}
