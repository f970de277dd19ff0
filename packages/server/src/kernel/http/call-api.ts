import type { FastifyInstance } from 'fastify'

/** Returns a `fetch` that sends requests to this service itself, as a client at the address. */
export type CallApi = (address: string) => typeof globalThis.fetch

/** Statuses of responses without a body (Fetch, 2.2.3). */
const bodiless = [204, 205, 304]

/**
 * Answers requests in the process, without a connection. They take the way of every other request: authentication, rate
 * limits, validation, audit log.
 */
export function createCallApi(app: () => FastifyInstance): CallApi {
  return (address) => async (input, init) => {
    const request = new Request(input, init)
    const { pathname, search, host } = new URL(request.url)
    const body = Buffer.from(await request.arrayBuffer())
    const { statusCode, headers, rawPayload } = await app().inject({
      method: request.method as 'GET',
      url: `${pathname}${search}`,
      headers: { ...Object.fromEntries(request.headers), host },
      ...(body.length > 0 && { payload: body }),
      remoteAddress: address,
      signal: request.signal,
    })
    const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      [value ?? []].flat().map((one) => [name, String(one)]),
    )
    return new Response(bodiless.includes(statusCode) ? null : new Uint8Array(rawPayload), {
      status: statusCode,
      headers: pairs,
    })
  }
}
