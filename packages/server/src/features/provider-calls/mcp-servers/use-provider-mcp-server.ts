import { hash } from 'node:crypto'
import {
  type KnownServer,
  type McpServerClient,
  type ProviderEntry,
  type ProviderTool,
  useMcpServer,
} from '@mortise/providers'
import { LRUCache } from 'lru-cache'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import {
  classifyFailure,
  type OpenedConnection,
  openProviderAccess,
  type ProviderAccess,
  type ProviderCall,
  providerProblem,
} from '../calls/index.ts'
import type { DescribeServices } from '../object-metadata/index.ts'

const mostMs = 30_000
/** How long a node keeps definitions of tools. */
const toolsMs = 60_000
const serversMax = 2_000
const toolsCharactersMax = 32 * 1024 * 1024

export interface McpServerTarget {
  connectionId: string
  /** Names of the tools that matter. Definitions of others are not kept. */
  toolNames: readonly string[]
}

/** What a node keeps of the MCP server of a connection. */
interface KnownTools {
  time: number
  tools: ProviderTool[]
}

/** A catalog that has changed has other entries. */
const servers = new WeakMap<ProviderEntry, LRUCache<string, KnownServer>>()
const definitions = new LRUCache<string, KnownTools>({
  max: serversMax,
  maxSize: toolsCharactersMax,
  sizeCalculation: ({ tools }) => 1 + JSON.stringify(tools).length,
})

/** The MCP server of a provider while a caller waits. */
export interface ProviderMcpServer extends Pick<McpServerClient, 'callTool'> {
  /** Returns the definitions of the tools that matter, at most a minute old. */
  tools(): Promise<ProviderTool[]>
}

/**
 * Calls the MCP server of a connection's provider. Moves the connection's status by the outcome. Opens no session if
 * the answer is known.
 *
 * @param calls gets each request once it has ended
 * @throws the problem of the provider's failure
 */
export async function useProviderMcpServer<T>(
  db: ProjectDb,
  services: DescribeServices,
  { connectionId, toolNames }: McpServerTarget,
  signal: AbortSignal,
  use: (server: ProviderMcpServer) => Promise<T>,
  { calls }: { calls?: ProviderCall[] } = {},
): Promise<T> {
  let connection: OpenedConnection | undefined
  try {
    const access = await openProviderAccess(db, services, connectionId, calls && { calls })
    connection = access.connection
    const key = keyOf(db, access)
    const toolsKey = JSON.stringify([key, toolNames])
    const until = AbortSignal.any([signal, AbortSignal.timeout(mostMs)])
    const now = () => services.now().getTime()
    let isSent = false
    const opened = <R>(run: (server: McpServerClient) => Promise<R>) => {
      isSent = true
      return useMcpServer({ ...access, now, signal: until, known: knownServer(access.entry, key) }, run)
    }
    const answer = await use({
      async tools() {
        const kept = definitions.get(toolsKey)
        if (kept && now() - kept.time < toolsMs) return kept.tools
        const listed = await opened((server) => server.listTools())
        const tools = listed.filter(({ name }) => toolNames.includes(name))
        definitions.set(toolsKey, { time: now(), tools })
        return tools
      },
      callTool: (name, args) => opened((server) => server.callTool(name, args)),
    })
    if (isSent) await connection.succeeded()
    return answer
  } catch (error) {
    signal.throwIfAborted()
    const failure = classifyFailure(error)
    await connection?.failed(failure)
    throw providerProblem(failure, services.now()) ?? error
  }
}

/** The server, the account and the credential: another one may be offered other tools. */
function keyOf({ projectId }: ProjectDb, { entry, context, connection }: ProviderAccess): string {
  const { metadata, workspaceRef } = context
  const target = [projectId, connection.id, connection.generation, entry.baseUrl, entry.mcp, metadata, workspaceRef]
  return hash('sha256', JSON.stringify(target))
}

function knownServer(entry: ProviderEntry, key: string): KnownServer {
  const ofEntry = servers.get(entry) ?? new LRUCache<string, KnownServer>({ max: serversMax })
  servers.set(entry, ofEntry)
  const known = ofEntry.get(key) ?? {}
  ofEntry.set(key, known)
  return known
}
