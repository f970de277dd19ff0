import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { ReceivedMessage, TestTarget } from './conformance.testkit.ts'
import type { SendResult } from './kind.ts'

export interface TargetRequest {
  method: string
  /** Path and query. */
  path: string
  headers: Record<string, string>
  body: Buffer
}

export interface TargetAnswer {
  status: number
  headers?: Record<string, string>
  body?: string
  /** What the answer confirms. */
  received?: ReceivedMessage[]
  /** Ends the connection in place of the answer. */
  hangsUp?: boolean
}

interface Target {
  settings: (port: number) => object
  secret: string
  /** Plays the service that accepts messages, strictly: what is not documented is refused. */
  answer: (request: TargetRequest) => TargetAnswer | Promise<TargetAnswer>
  /** Answers of this service that are failures. */
  failures?: Record<string, TargetAnswer>
  /**
   * Failures of `/token` alone, which gives access tokens. With these, other failures are those of the service behind
   * it: otherwise none of its answers would be read.
   */
  tokenFailures?: Record<string, TargetAnswer>
}

type Behavior = (response: ServerResponse, elsewhere: string) => void

const slow: Record<string, Behavior> = {
  hang: () => undefined,
  trickles: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 20)
    response.once('close', () => clearInterval(timer))
  },
}

const common: Record<string, Behavior> = {
  'answers 500': (response) => response.writeHead(500).end(),
  'answers 401': (response) => response.writeHead(401).end(),
  'answers 429': (response) => response.writeHead(429, { 'retry-after': '7' }).end(),
  redirects: (response, elsewhere) => response.writeHead(302, { location: elsewhere }).end(),
  'redirects with the body': (response, elsewhere) => response.writeHead(307, { location: elsewhere }).end(),
  'hangs up': (response) => response.socket?.destroy(),
  'speaks another protocol': (response) => response.socket?.end('+PONG\r\n'),
}

const unconfirmed: Record<string, Behavior> = {
  'answers with HTML': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Hello</html>'),
  'answers with nothing': (response) => response.writeHead(200).end(),
  'answers with half a body': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"Records":[')
    response.socket?.end()
  },
}

/** What every service that speaks HTTP may do, whatever it is asked. */
export const httpFailures: Record<string, SendResult['outcome']> = retried(common)

/** The same for a service whose answers say what it accepted: a status alone delivers nothing. */
export const confirmedFailures: Record<string, SendResult['outcome']> = {
  ...httpFailures,
  ...retried(unconfirmed),
}

/** Answers of a service that mean another attempt. */
export function retried(answers: object): Record<string, SendResult['outcome']> {
  return Object.fromEntries(Object.keys(answers).map((name) => [name, 'retry' as const]))
}

/** Starts a server that no request should reach. */
export async function startCanary() {
  let requests = 0
  const server = createServer((_request, response) => {
    requests++
    response.end('{}')
  })
  // What is not HTTP is counted, too.
  server.on('clientError', (_error, socket) => {
    requests++
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    requests: () => requests,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Starts a service of HTTP that plays a destination. */
export async function startHttpTarget({
  settings,
  secret,
  answer,
  failures = {},
  tokenFailures,
}: Target): Promise<TestTarget> {
  const sockets = new Set<Socket>()
  const received: ReceivedMessage[] = []
  const elsewhere = await startCanary()
  let [behavior, total] = ['accept', 0]
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => undefined)
    // The client ended the connection.
    if (body === undefined) return
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const { method = '', url: path = '' } = request
    const isToken = tokenFailures !== undefined && path === '/token' && behavior !== 'hang'
    const planned = isToken ? undefined : (slow[behavior] ?? common[behavior] ?? unconfirmed[behavior])
    if (planned) return planned(response, elsewhere.url)
    const failing = isToken ? tokenFailures[behavior] : failures[behavior]
    const answered =
      behavior === 'echo' && !isToken
        ? { status: 500, body: `You sent ${secret}.` }
        : (failing ?? (await answer({ method, path, headers, body })))
    received.push(...(answered.received ?? []))
    if (answered.hangsUp) {
      response.socket?.destroy()
      return
    }
    response.writeHead(answered.status, answered.headers).end(answered.body)
  })
  server.on('connection', (socket) => {
    total++
    sockets.add(socket.once('close', () => sockets.delete(socket)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    settings: settings(port),
    secret,
    received: () => received,
    behave: (what) => {
      behavior = what
    },
    slow: ['trickles'],
    redirected: elsewhere.requests,
    connections: () => ({ open: sockets.size, total }),
    async stop() {
      elsewhere.stop()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Reads a message that was wrapped as `{"data": …, "headers": …}`. */
export function unwrapped(text: string): ReceivedMessage {
  const { data, headers } = JSON.parse(text) as { data: unknown; headers: Record<string, string> }
  return { id: headers['webhook-id'] ?? '', body: JSON.stringify(data), headers }
}

/** A message that is always refused has this text. Ids may contain the letters. */
export const isBad = ({ body }: ReceivedMessage): boolean => body.includes('"bad"')
