import type { ProviderEntry } from '../catalogue/entry.ts'
import type { ConnectionContext } from '../connector.ts'
import { joinPath } from '../interpreter/base-url.ts'
import { checkHealth, expectAnswer } from '../interpreter/check-health.ts'
import { proxyBase } from '../interpreter/proxy-base.ts'
import { openSession } from '../interpreter/session.ts'
import type { ProviderTool } from '../mcp/provider-tool.ts'
import { useMcpServer } from '../mcp/use-mcp-server.ts'
import { InvalidInputs } from '../provider-error.ts'
import { reasonOf, type TriedFinding } from './finding.ts'
import type { Recording, TriedRequest } from './recording-http.ts'

/** What proves the credential and the base URL of a file without an object. */
export const triedChecks = ['healthCheck', 'mcp', 'get'] as const

/** What came of a request that needs no object. */
export interface TriedCheck {
  check: (typeof triedChecks)[number]
  requests: TriedRequest[]
  findings: TriedFinding[]
  /** Those of the MCP server. */
  tools?: ProviderTool[]
}

export interface CheckOptions {
  recording: Recording
  now: () => Date
  signal: AbortSignal
  /** Path below the base URL to request by GET, with its query. */
  get?: string
}

/**
 * Sends the health check of a file, if it has one, lists the tools of its MCP server, and sends a GET request to a path
 * below its base URL, if one is named. A web page in place of an answer is an error.
 *
 * @throws what is neither the provider's nor the file's doing
 */
export async function tryChecks(
  entry: ProviderEntry,
  connection: ConnectionContext,
  { recording, now, signal, get }: CheckOptions,
): Promise<TriedCheck[]> {
  const time = () => now().getTime()
  const checks: TriedCheck[] = []
  const run = async (check: TriedCheck['check'], request: () => Promise<unknown> | undefined) => {
    recording.take()
    recording.begin(check)
    const findings: TriedFinding[] = []
    try {
      await request()
    } catch (error) {
      // A path or a value of the connection that makes no usable URL.
      const isUrlFault = error instanceof InvalidInputs || error instanceof RangeError
      const reason = isUrlFault ? error.message : reasonOf(error)
      findings.push({ level: 'error', message: recording.safe(`${check}: ${reason}`) })
    }
    const tried: TriedCheck = { check, requests: recording.take(), findings }
    checks.push(tried)
    return tried
  }
  if (entry.healthCheck !== undefined)
    await run('healthCheck', () => checkHealth(entry, connection, recording.http, { signal, now: time }))
  if (entry.mcp !== undefined) {
    const found: Pick<TriedCheck, 'tools'> = {}
    const target = { entry, context: connection, http: recording.http, now: time, signal }
    const tried = await run('mcp', async () => {
      found.tools = await useMcpServer(target, (server) => server.listTools())
    })
    Object.assign(tried, found)
  }
  if (get !== undefined)
    await run('get', () => {
      if (!entry.implemented.proxy) throw new RangeError('The file has no confirmed base URL.')
      const url = joinPath(proxyBase(entry, connection, connection.module), get)
      return expectAnswer(openSession(entry, connection, recording.http, time), { method: 'GET', url, signal })
    })
  return checks
}
