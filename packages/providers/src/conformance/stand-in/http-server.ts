import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface SeenRequest {
  method: string
  url: URL
  headers: Record<string, string>
  body: string
}

export interface Answer {
  status?: number
  headers?: Record<string, string | string[]>
  /** Sent as JSON unless it is a text or bytes. */
  body?: unknown
}

export interface LoopbackServer extends AsyncDisposable {
  origin: string
  /** Requests so far, in order. */
  seen: SeenRequest[]
}

/** Starts an HTTP server on 127.0.0.1. An error of `answer` is a response with status 500 and its message. */
export async function startServer(answer: (request: SeenRequest) => Answer): Promise<LoopbackServer> {
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
    const json = typeof body !== 'string' && body !== undefined && !(body instanceof Uint8Array)
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
