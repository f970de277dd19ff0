import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ProviderHttp } from '../connector.ts'

export interface SeenRequest {
  method: string
  url: URL
  headers: Record<string, string>
  body: string
}

export interface Answer {
  status?: number
  headers?: Record<string, string | string[]>
  /** Sent as JSON unless it is a text. */
  body?: unknown
}

export interface TestServer extends AsyncDisposable {
  origin: string
  /** Requests so far, in order. */
  seen: SeenRequest[]
}

/** A real HTTP server on 127.0.0.1 that answers as told; what throws is answered with 500 and its message. */
export async function startServer(answer: (request: SeenRequest) => Answer): Promise<TestServer> {
  const seen: SeenRequest[] = []
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const asked: SeenRequest = {
      method: incoming.method ?? '',
      url: new URL(incoming.url ?? '/', 'http://server'),
      headers: incoming.headers as Record<string, string>,
      body: await text(incoming),
    }
    seen.push(asked)
    const { status = 200, headers = {}, body } = attempt(() => answer(asked))
    const json = typeof body !== 'string' && body !== undefined
    outgoing.writeHead(status, { ...(json ? { 'content-type': 'application/json' } : {}), ...headers })
    outgoing.end(json ? JSON.stringify(body) : body)
  }
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: Error) => outgoing.destroy(error))
  })
  // A busy machine may take longer to use a kept connection than a server keeps it. It then closes under the request.
  server.keepAliveTimeout = 120_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    seen,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)))
        server.closeAllConnections()
      }),
  }
}

function attempt(answer: () => Answer): Answer {
  try {
    return answer()
  } catch (error) {
    return { status: 500, body: { message: error instanceof Error ? error.message : String(error) } }
  }
}

/** `fetch`, handed in by the test. */
type Send = (url: string, init: RequestInit) => Promise<Response>

/**
 * Plain HTTP without any guard, for tests only.
 *
 * @param rewrite stands in for DNS: requests to the origin `from` go to the origin `to`
 */
export function plainHttp(send: Send, rewrite?: { from: string; to: string }): ProviderHttp {
  return async ({ method, url, headers, body, signal, streams }) => {
    const moved = rewrite !== undefined && url.startsWith(rewrite.from)
    const target = moved ? rewrite.to + url.slice(rewrite.from.length) : url
    const response = await send(target, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    })
    const { status, ok } = response
    const cookies = response.headers.getSetCookie().join('\n')
    const joined = { ...Object.fromEntries(response.headers), ...(cookies !== '' && { 'set-cookie': cookies }) }
    const answer = { status, headers: joined }
    if (streams && ok && response.body !== null)
      return { ...answer, body: '', stream: Readable.fromWeb(response.body as ReadableStream<Uint8Array>) }
    return { ...answer, body: await response.text() }
  }
}
