import type { Json } from './json-values.ts'

interface Request {
  url: URL
  headers: { name: string; value: string }[]
}

const keyHeaders =
  /^(x-)?([\w-]+-)?(api-?key|api-?token|access-?token|auth-?token|auth-?key|token|access-?key|private-token)$/i
const keyParameters = /^(api_?key|api_?token|access_?token|auth_?token|key|token|apikey|hapikey|auth|signature|sig)$/i
const noKeys = /csrf|xsrf|session|request-?token/i

/** Whether a header has a key, by its name. */
export function isKeyHeader(name: string): boolean {
  return name.length <= 60 && keyHeaders.test(name) && !noKeys.test(name)
}

/** Whether a query parameter has a key, by its name. */
export function isKeyParameter(name: string): boolean {
  return keyParameters.test(name)
}

/**
 * Finds where recorded requests carry their credential. Returns names only: the values stay in the recording.
 *
 * @returns security schemes as OpenAPI has them, and the names of query parameters with a credential, in lower case
 */
export function authorizationOf(requests: readonly Request[]): { securitySchemes: Json; names: Set<string> } {
  const schemes: Json = {}
  const names = new Set<string>()
  for (const { url, headers } of requests) {
    for (const { name, value } of headers) {
      if (name.toLowerCase() === 'authorization') Object.assign(schemes, authorizationScheme(value))
      else if (isKeyHeader(name)) {
        schemes[`header ${name.toLowerCase()}`] = { type: 'apiKey', in: 'header', name }
      }
    }
    for (const name of url.searchParams.keys()) {
      if (!isKeyParameter(name)) continue
      names.add(name.toLowerCase())
      // A token of the next page is none.
      schemes[`query ${name}`] = { type: 'apiKey', in: 'query', name }
    }
  }
  return { securitySchemes: Object.fromEntries(Object.entries(schemes).slice(0, 5)), names }
}

/** Only words that name a scheme are taken from the header: any other first word could be the key. */
function authorizationScheme(value: string): Json {
  const word = /^(Basic|Bearer|Token|ApiKey|Api-Key|SSWS|GenieKey) /i.exec(value)?.[1]
  if (word?.toLowerCase() === 'basic') return { basic: { type: 'http', scheme: 'basic' } }
  if (word?.toLowerCase() === 'bearer') return { bearer: { type: 'http', scheme: 'bearer' } }
  const description = word === undefined ? '' : `${word} and the key`
  return { authorization: { type: 'apiKey', in: 'header', name: 'Authorization', description } }
}
