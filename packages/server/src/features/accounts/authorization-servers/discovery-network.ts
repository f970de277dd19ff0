import { AuthorizationNotDiscovered, type DiscoveryNetwork } from '@mortise/providers'
import { type Issue, Problem, readJson } from '../../../kernel/http/index.ts'
import { type AddressGuard, bareHost, type Outbound, OutboundError } from '../../../kernel/net/index.ts'

const timeoutMs = 5_000
const totalMs = 20_000
const metadataBytesMax = 128 * 1024

/** Sent without a credential: the server answers it with its challenge. */
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'mortise', title: 'Mortise', version: '1.0.0' },
  },
})

/**
 * Reaches the servers of a discovery, whose addresses strangers choose: through the address guard, within 5 s for each
 * request and 20 s in all, without redirects, and takes JSON only.
 */
export function discoveryNetwork(
  { outbound, guard }: { outbound: Outbound; guard: AddressGuard },
  { project, signal = new AbortController().signal }: { project: string; signal?: AbortSignal },
): DiscoveryNetwork {
  const until = AbortSignal.any([signal, AbortSignal.timeout(totalMs)])
  const limits = { timeoutMs, maxBytes: metadataBytesMax, project, signal: until }
  const network: DiscoveryNetwork = {
    async fetch(input, init = {}) {
      const url = new URL(String(input))
      if (!network.isAllowed(url)) throw unreachable()
      const headers = { ...Object.fromEntries(new Headers(init.headers)), accept: 'application/json' }
      const { method = 'GET', body } = init
      const answer = await outbound
        .request({ ...limits, method, url, headers, ...(typeof body === 'string' && { body }) })
        .catch(failed)
      assertAvailable(answer.status)
      if (answer.status >= 400) return new Response(null, { status: answer.status })
      const isJson = /^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(answer.headers['content-type'] ?? '')
      // A redirect, or the page of a website that has one for every path.
      if (answer.status >= 300 || !isJson) return new Response(null, { status: 404 })
      return Response.json(parsed(answer.body), { status: answer.status === 201 ? 201 : 200 })
    },
    async challenge(url) {
      if (!network.isAllowed(url)) throw unreachable()
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const answer = await outbound
        .request({ ...limits, method: 'POST', url, headers, body: initialize, bodyWanted: false })
        .catch(failed)
      assertAvailable(answer.status)
      return answer.status === 401 ? answer.headers['www-authenticate'] : undefined
    },
    isAllowed(url) {
      const host = bareHost(url)
      const isPrivate = guard.isAllowedPrivate(host === 'localhost' ? '127.0.0.1' : host)
      return (url.protocol === 'https:' || isPrivate) && guard.checkUrl(url) === undefined
    },
  }
  return network

  function failed(cause: unknown): never {
    signal.throwIfAborted()
    if (!(cause instanceof OutboundError)) throw cause
    throw unreachable({ cause })
  }
}

function assertAvailable(status: number): void {
  if (status >= 500 || status === 429)
    throw new AuthorizationNotDiscovered(
      'unreachable',
      `The MCP server or its authorization server is not available (status ${status}). Try again later.`,
    )
}

function parsed(body: Buffer): unknown {
  const invalid = 'The MCP server or its authorization server answered with invalid JSON.'
  const issues: Issue[] = []
  try {
    const value = readJson(body, issues)
    if (issues.length === 0) return value
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause
    throw new AuthorizationNotDiscovered('unusable', invalid, { cause })
  }
  throw new AuthorizationNotDiscovered('unusable', invalid)
}

/** Says no more: the response must not reveal what is at an address that a customer entered. */
function unreachable(options?: ErrorOptions): AuthorizationNotDiscovered {
  return new AuthorizationNotDiscovered(
    'unreachable',
    'The MCP server or its authorization server could not be reached: no answer, too slow, too large or not a public https address.',
    options,
  )
}
