import type { ProviderEntry } from '../catalogue/entry.ts'
import type { ConnectionContext, ProviderHttp } from '../connector.ts'
import { checkMcpServer } from '../mcp/use-mcp-server.ts'
import { ProviderError } from '../provider-error.ts'
import { joinPath, resolveBaseUrl, resolveUrl } from './base-url.ts'
import { textOf } from './request.ts'
import { openSession, type Session } from './session.ts'
import { parseTemplate, render } from './template.ts'

const mcpCheckMs = 30_000

/**
 * Checks with the provider whether a credential is valid. Needs no connector: facts alone may contain a health check.
 * Without one, a list of the tools of the provider's MCP server replaces it.
 *
 * @returns `undefined` if the provider has no health check
 * @throws ProviderError if the response is not one of the expected ones; InvalidInputs if the inputs make no usable
 *   URL
 */
export function checkHealth(
  entry: ProviderEntry,
  connection: ConnectionContext,
  http: ProviderHttp,
  { signal, now = Date.now }: { signal?: AbortSignal; now?: () => number } = {},
): Promise<void> | undefined {
  if (entry.healthCheck === undefined && entry.mcp !== undefined)
    return checkMcpServer({ entry, context: connection, http, now, signal: signal ?? AbortSignal.timeout(mcpCheckMs) })
  if (entry.healthCheck === undefined) return undefined
  return checkHealthIn(entry, openSession(entry, connection, http, now), signal)
}

export function checkHealthIn(entry: ProviderEntry, session: Session, signal?: AbortSignal): Promise<void> | undefined {
  const check = entry.healthCheck
  if (check === undefined) return undefined
  const { method = 'GET', successStatusCodes } = check
  return (async () =>
    expectAnswer(session, { method, url: healthUrl(entry, session), signal, statuses: successStatusCodes }))()
}

/**
 * Sends a request whose response only has to be one of the API.
 *
 * @throws ProviderError for an error, a web page or another status
 */
export async function expectAnswer(
  session: Session,
  {
    method,
    url,
    signal,
    statuses = [200, 204],
  }: { method: string; url: URL; signal?: AbortSignal | undefined; statuses?: readonly number[] | undefined },
): Promise<void> {
  const { response, error } = await session.ask(method, url, signal)
  if (error !== undefined) throw error
  const { status } = response
  // Programs in front of the API respond with 200 as well: a sign-in page, a proxy, a wrong address.
  if (response.json === undefined && /^text\/html\b/i.test(response.headers['content-type'] ?? ''))
    throw new ProviderError('unexpected_response', 'A web page came instead of the answer of the API.', { status })
  if (!statuses.includes(status))
    throw new ProviderError('unexpected_response', `The health check answered with status ${status}.`, { status })
}

function healthUrl({ baseUrl, healthCheck }: ProviderEntry, session: Session): URL {
  const text = textOf(session.scope)
  if (healthCheck?.url !== undefined) return resolveUrl(healthCheck.url, text)
  const path = render(parseTemplate(healthCheck?.path ?? '/'), text, encodeURIComponent)
  return joinPath(resolveBaseUrl(baseUrl, text), path ?? '/')
}
