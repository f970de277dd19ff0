import { type HttpAnswer, type HttpCall, jsonOf } from './http-calls.ts'
import type { SendResult } from './kind.ts'

/** What clients of Google that extend its `Service` give to their `makeAuthenticatedRequest`. */
interface ServiceRequest {
  method?: string
  uri: string
  qs?: Record<string, unknown>
  json?: unknown
}

type Callback = (error: Error | null, body?: unknown, response?: unknown) => unknown

/**
 * Has a client send a request by the calls of one `send`. All requests of a client pass one of its methods, which would
 * get a token and open a connection. Each client is of one request.
 *
 * @param ask makes the client send the request
 * @returns the answer, whatever the client makes of it
 * @throws OutboundError if there was no answer
 */
export function askGoogle<Client extends object>(
  client: Client,
  { origin, call }: { origin: string; call: (call: HttpCall) => Promise<HttpAnswer | SendResult> },
  ask: (client: Client) => Promise<unknown>,
): Promise<HttpAnswer | SendResult> {
  return new Promise((resolve, reject) => {
    const makeAuthenticatedRequest = (request: ServiceRequest, callback: Callback): void => {
      const answering = call(httpCallOf(request, origin))
      void answering
        .then((answer) => callback(...readingOf(answer)))
        // Some callbacks of the client are asynchronous, and nothing else handles their errors.
        .catch((error: Error) => callback(error))
        .catch(() => undefined)
      resolve(answering)
    }
    ask(Object.assign(client, { makeAuthenticatedRequest })).then(
      () => reject(new TypeError('The client sent no request.')),
      reject,
    )
  })
}

function httpCallOf({ method = 'GET', uri, qs = {}, json }: ServiceRequest, origin: string): HttpCall {
  const url = urlWithin(origin, uri)
  const { autoPaginate: _, ...query } = qs
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
  return {
    method: method as 'GET' | 'POST',
    url,
    headers: json === undefined ? {} : { 'content-type': 'application/json' },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  }
}

/** Parses the URL of a request. @throws TypeError if it is of another server than that of the settings */
export function urlWithin(origin: string, text: string): URL {
  const url = new URL(text)
  if (url.origin !== origin) throw new TypeError('The client named another server.')
  return url
}

/** What the client gets of an answer. */
function readingOf(answer: HttpAnswer | SendResult): Parameters<Callback> {
  if ('outcome' in answer) return [new Error(answer.error)]
  const body = jsonOf(answer)
  const { status: statusCode, headers } = answer
  if (statusCode === 200 && body !== undefined) return [null, body, { statusCode, headers, body }]
  return [Object.assign(new Error(`The answer is ${statusCode}.`), { code: statusCode })]
}
