import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import {
  type CallToolResult,
  createMcpHandler,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import {
  createAuthorizationServer,
  type SampleAuthorization,
  type SampleAuthorizationOptions,
} from './authorization-server.ts'
import { createNotes, type Note, noteTools } from './notes.ts'

export interface SampleMcpOptions {
  /** 0, the default: any free port. */
  readonly port?: number
  /** The bearer token that requests need; `demo-token` unless set. */
  readonly token?: string
  /** Has an authorization server that clients find by themselves, in place of the one token. */
  readonly authorization?: SampleAuthorizationOptions
  /** Whether clients open and end sessions, as before revision 2026-07-28; otherwise it serves all revisions. */
  readonly sessions?: boolean
  /** Whether responses are JSON instead of streams of events. */
  readonly json?: boolean
  /** Replaces what a tool does; undefined for what it does by itself. */
  readonly call?: (name: string, args: Record<string, unknown>) => CallToolResult | undefined
}

export interface SampleMcp {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: string
  readonly notes: readonly Note[]
  /** The tools that it lists from now on; those of the notes at first. */
  tools: readonly Tool[]
  /** Requests with a valid token, as method of HTTP and of the protocol. */
  readonly requests: string[]
  /** Present with the option of that name. */
  readonly authorization: SampleAuthorization | undefined
  /** Ids of the open sessions. */
  readonly sessions: ReadonlySet<string>
  /** Answers requests with the token, or with all tokens so far, with 401 from now on. */
  revokeToken(): void
  close(): Promise<void>
}

/** Starts an MCP server with Streamable HTTP at `/mcp`. */
export async function startSampleMcp(options: SampleMcpOptions = {}): Promise<SampleMcp> {
  const { port = 0, token = 'demo-token', sessions: hasSessions = false, json = false, call } = options
  const book = createNotes()
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const requests: string[] = []
  let isRevoked = false

  function server(): Server {
    const made = new Server({ name: 'sample-notes', version: '1.0.0' }, { capabilities: { tools: {} } })
    made.setRequestHandler('tools/list', () => ({ tools: [...mcp.tools] }))
    made.setRequestHandler('tools/call', ({ params: { name, arguments: args = {} } }) => {
      return call?.(name, args) ?? book.call(name, args)
    })
    return made
  }
  const withoutSessions = createMcpHandler(server, { responseMode: json ? 'json' : 'sse' })

  async function inSession(request: Request, parsedBody: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    const opened = id === null ? undefined : transports.get(id)
    if (opened) return await opened.handleRequest(request, { parsedBody })
    if (id !== null) return new Response(null, { status: 404 })
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: json,
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void transports.set(session, transport),
      onsessionclosed: (session) => void transports.delete(session),
    })
    await server().connect(transport)
    return await transport.handleRequest(request, { parsedBody })
  }

  /** Returns what a request may do; undefined if its token is not valid. */
  function scopesOf({ headers }: IncomingMessage): readonly string[] | undefined {
    if (authorization) return authorization.scopesOf(headers.authorization?.replace(/^Bearer /, '') ?? '')
    return isRevoked || headers.authorization !== `Bearer ${token}` ? undefined : ['notes.read', 'notes.write']
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await authorization?.handle(request, response, new URL(request.url ?? '/', mcp.url))) return
    if (request.url !== '/mcp') return void response.writeHead(404).end()
    const scopes = scopesOf(request)
    if (scopes === undefined) return refuse(mcp, response, 401, 'invalid_token', 'notes.read')
    const parsedBody = request.method === 'POST' ? JSON.parse(await textOf(request)) : undefined
    const needed = parsedBody?.params?.name === 'add_note' ? 'notes.write' : 'notes.read'
    if (!scopes.includes(needed)) return refuse(mcp, response, 403, 'insufficient_scope', needed)
    requests.push([request.method, parsedBody?.method].filter(Boolean).join(' '))
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const asked = new Request(`${mcp.url}/mcp`, { method: request.method ?? 'GET', headers })
    const answered = hasSessions
      ? await inSession(asked, parsedBody)
      : await withoutSessions.fetch(asked, { parsedBody })
    response.writeHead(answered.status, Object.fromEntries(answered.headers))
    if (answered.body) Readable.fromWeb(answered.body as ReadableStream).pipe(response)
    else response.end()
  }

  const http = createServer((request, response) => {
    answer(request, response).catch(() => response.headersSent || response.writeHead(500).end())
  })
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const authorization = options.authorization && createAuthorizationServer(url, `${url}/mcp`, options.authorization)
  const mcp: SampleMcp = {
    url,
    authorization: authorization?.kit,
    token,
    notes: book.notes,
    tools: noteTools,
    requests,
    get sessions() {
      return new Set(transports.keys())
    },
    revokeToken() {
      isRevoked = true
      authorization?.revokeTokens()
    },
    async close() {
      await Promise.all([...transports.values()].map((transport) => transport.close()))
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return mcp
}

/** The challenge names the metadata (RFC 9728), and the scopes that a client needs (RFC 6750). */
function refuse(
  { url, authorization }: SampleMcp,
  response: ServerResponse,
  status: number,
  error: string,
  scope: string,
): void {
  const metadata = `${url}/.well-known/oauth-protected-resource/mcp`
  const challenge = `Bearer error="${error}", resource_metadata="${metadata}", scope="${scope}"`
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(authorization && { 'www-authenticate': challenge }),
  })
  response.end(JSON.stringify({ error }))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
