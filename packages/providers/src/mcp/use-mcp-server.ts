import type {
  CallToolResult,
  Client,
  FetchLike,
  PriorDiscovery,
  StandardSchemaV1,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { ProviderEntry } from '../catalogue/entry.ts'
import type { ConnectionContext, ProviderHttp } from '../connector.ts'
import { openSession, type Session } from '../interpreter/session.ts'
import { ProviderError } from '../provider-error.ts'
import { insufficientScope } from './insufficient-scope.ts'
import { mcpServerUrl } from './mcp-server-url.ts'
import { type ProviderTool, readProviderTool } from './provider-tool.ts'
import { readMessage } from './read-message.ts'

/** A provider's MCP server, as one connection. Both methods throw ProviderError. */
export interface McpServerClient {
  /** Returns all tools, in the order of the server. */
  listTools(): Promise<ProviderTool[]>
  callTool(name: string, args: Record<string, unknown>): Promise<CallToolResult>
}

export interface McpTarget {
  entry: ProviderEntry
  context: ConnectionContext
  http: ProviderHttp
  now: () => number
  signal: AbortSignal
  /** What is known of the server from earlier uses. This function changes it. */
  known?: KnownServer
}

export interface KnownServer {
  /** Whether it serves revision 2026-07-28, or those before, in which a client initializes. */
  prior?: PriorDiscovery
  /** Revision of an older server without sessions: such a server needs no handshake before each request. */
  version?: string
}

const pagesMax = 50
const toolsMax = 10_000
/** The signal ends requests earlier. */
const timeoutMs = 600_000
const endingMs = 2_000
/** In place of the id of a session, where the server has none. It is never sent. */
const noSession = 'none'

/**
 * Opens the MCP server of a provider, and ends the session after use.
 *
 * @throws NoConnector if the provider file has no MCP server
 * @throws InvalidInputs if the connection's values make no usable URL
 * @throws ProviderError
 */
export async function useMcpServer<T>(target: McpTarget, use: (server: McpServerClient) => Promise<T>): Promise<T> {
  const { entry, context, http, now, known = {} } = target
  const session = openSession(entry, context, http, now)
  const url = mcpServerUrl(entry, context)
  if (known.prior === undefined) return await once(target, session, url, known, use)
  try {
    return await once(target, session, url, known, use)
  } catch (error) {
    // The server has sessions or another revision now: it refused the request, and wants a handshake first.
    const wantsHandshake =
      error instanceof ProviderError && (error.class === 'not_found' || error.status === 400) && !target.signal.aborted
    if (!wantsHandshake) throw error
    delete known.version
    delete known.prior
    return await once(target, session, url, known, use)
  }
}

/** Checks that the server accepts the credential. @throws ProviderError */
export async function checkMcpServer(target: McpTarget): Promise<void> {
  await useMcpServer(target, async (server) => {
    await server.listTools()
  })
}

async function once<T>(
  { signal }: McpTarget,
  session: Session,
  url: URL,
  known: KnownServer,
  use: (server: McpServerClient) => Promise<T>,
): Promise<T> {
  const library = await loadLibrary()
  const failure: Failure = {}
  const transport = new library.StreamableHTTPClientTransport(url, {
    fetch: fetchOf(session, url, signal, failure),
    ...(known.version !== undefined && { sessionId: noSession, protocolVersion: known.version }),
  })
  // No capabilities: servers can ask neither the model nor the person, and see no folders.
  const client = new library.Client(
    { name: 'mortise', title: 'Mortise', version: '1.0.0' },
    {
      capabilities: {},
      jsonSchemaValidator: noValidator,
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
    },
  )
  const inOurWords = (error: unknown): never => {
    throw failure.error ?? (signal.aborted ? signal.reason : errorOf(error, library, session.safe))
  }
  const options = { signal, timeout: timeoutMs }
  const { CallToolResult: callResult } = library.specTypeSchemas
  try {
    const connecting = { ...options, ...(known.prior && { prior: known.prior }) }
    await client.connect(transport as ClientTransport, connecting).catch(inOurWords)
    learn(known, client, transport)
    return await use({
      listTools: () =>
        listTools((cursor) =>
          client
            .request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } }, anyResult, options)
            .catch(inOurWords),
        ),
      callTool: (name, args) =>
        client
          .request({ method: 'tools/call', params: { name, arguments: args } }, callResult, options)
          .catch(inOurWords),
    })
  } finally {
    await end(client, transport)
  }
}

/** Keeps what saves requests the next time, and no text of the server. */
function learn(known: KnownServer, client: Client, transport: StreamableHTTPClientTransport): void {
  const version = client.getNegotiatedProtocolVersion()
  if (known.prior !== undefined || version === undefined) return
  if (client.getProtocolEra() === 'modern') {
    known.prior = { kind: 'modern', discover: { supportedVersions: [version], capabilities: {} } }
    return
  }
  known.prior = { kind: 'legacy' }
  if (transport.sessionId === undefined) known.version = version
}

/** The transport of the library and its interface differ in optional properties. */
type ClientTransport = Parameters<Client['connect']>[0]

async function end(client: Client, transport: StreamableHTTPClientTransport): Promise<void> {
  // A server may refuse to end a session. It then forgets it after a while.
  if (transport.sessionId !== undefined && transport.sessionId !== noSession)
    await transport.terminateSession().catch(() => undefined)
  await client.close()
}

async function listTools(
  page: (cursor: string | undefined) => Promise<Record<string, unknown>>,
): Promise<ProviderTool[]> {
  const tools: ProviderTool[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let pages = 0; pages < pagesMax; pages++) {
    const { tools: items, nextCursor } = await page(cursor)
    if (!Array.isArray(items))
      throw new ProviderError('unexpected_response', 'The MCP server answered without a list of tools.')
    tools.push(...items.flatMap((item) => readProviderTool(item) ?? []))
    if (tools.length > toolsMax) break
    if (typeof nextCursor !== 'string' || nextCursor === '') return tools
    if (seen.has(nextCursor))
      throw new ProviderError('endless_pages', 'The MCP server names a page of its tools a second time.')
    seen.add(nextCursor)
    cursor = nextCursor
  }
  throw new ProviderError(
    'endless_pages',
    `The MCP server has more than ${toolsMax} tools, or lists them on more than ${pagesMax} pages.`,
  )
}

/** What a request failed with, before the library made another error of it. */
interface Failure {
  error?: unknown
}

/**
 * Sends the requests of the library as the connection, to one URL: with its credential, limits and address guard, and
 * without following redirects. The library gets one JSON message for each request.
 */
function fetchOf(session: Session, url: URL, signal: AbortSignal, failure: Failure): FetchLike {
  return async (_, init = {}) => {
    const { method = 'GET' } = init
    // Servers send messages in the response to a request. Mortise opens no stream besides.
    if (method === 'GET') return new Response(null, { status: 405 })
    const headers = Object.fromEntries(new Headers(init.headers))
    if (headers['mcp-session-id'] === noSession) delete headers['mcp-session-id']
    const body = typeof init.body === 'string' ? init.body : undefined
    const until = method === 'DELETE' ? AbortSignal.timeout(endingMs) : signal
    try {
      const { response, error } = await session.forward(
        { method, url, headers, ...(body !== undefined && { body }) },
        until,
      )
      const { id, method: asked } = body === undefined ? {} : (JSON.parse(body) as { id?: unknown; method?: string })
      if (error !== undefined) {
        // An older server refuses the first request of a newer client: the library then initializes.
        if (asked === 'server/discover' && (error.class === 'bad_request' || error.class === 'not_found'))
          return new Response(response.body, {
            status: response.status,
            headers: { 'content-type': 'application/json' },
          })
        throw (await insufficientScope(response)) ?? error
      }
      const sessionId = response.headers['mcp-session-id']
      const received = {
        'content-type': 'application/json',
        ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
      }
      if (id !== undefined)
        return new Response(await readMessage(response, id, session.safe), { status: 200, headers: received })
      response.stream?.destroy()
      return new Response(null, { status: 202, headers: received })
    } catch (error) {
      if (method !== 'DELETE') failure.error ??= error
      throw error
    }
  }
}

function errorOf(error: unknown, { ProtocolError }: Library, safe: (text: string) => string): unknown {
  if (!(error instanceof Error) || error.name === 'AbortError' || error.name === 'TimeoutError') return error
  if (error instanceof ProtocolError) {
    const providerMessage = safe(error.message.replace(/^MCP error -?\d+: /, ''))
    return new ProviderError('bad_request', `The MCP server refused the request (code ${String(error.code)}).`, {
      ...(providerMessage !== '' && { providerMessage }),
      cause: error,
    })
  }
  const isVersion = error.message.includes('protocol version')
  const message = isVersion
    ? 'The MCP server speaks a version of the protocol that Mortise does not know.'
    : 'The result of the MCP server is not one of the protocol.'
  return new ProviderError('unexpected_response', message, { cause: error })
}

/** The library of the protocol, loaded with the first request. */
function loadLibrary() {
  return import('@modelcontextprotocol/client')
}

type Library = Awaited<ReturnType<typeof loadLibrary>>

/** Takes any result of the protocol: one tool that is none would otherwise make the whole list wrong. */
const anyResult: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'mortise',
    validate: (value: unknown) => ({ value: value as Record<string, unknown> }),
  },
}

/** Schemas of a foreign server are never compiled. */
const noValidator = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: 'Schemas are not compiled.' }),
}
