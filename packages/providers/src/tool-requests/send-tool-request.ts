import type { ProviderEntry } from '../catalogue/entry.ts'
import type { ConnectionContext, ProviderHttp } from '../connector.ts'
import { resolveBaseUrl } from '../interpreter/base-url.ts'
import type { ConnectorOptions } from '../interpreter/create-connector.ts'
import { compilePath } from '../interpreter/path.ts'
import { textOf } from '../interpreter/request.ts'
import { openSession } from '../interpreter/session.ts'
import { speaksOfError } from '../interpreter/unexpected-answer.ts'
import { ProviderError } from '../provider-error.ts'
import { compileToolRequest, type ToolValues, toolScope } from './compile-tool-request.ts'
import type { ToolRequest } from './tool-request.ts'

/** What a connector is made of: a request of a tool needs no objects. */
export interface ToolAccess {
  entry: ProviderEntry
  context: ConnectionContext
  http: ProviderHttp
  costBudget: ConnectorOptions['costBudget']
}

export interface SendOptions {
  /** Path of the result in the answer; the whole answer where absent. */
  resultPath?: string | undefined
  /** Whether the request only reads. Then it has an answer. */
  isRead: boolean
  signal: AbortSignal
  now: () => number
}

/**
 * Sends a request that a manifest declares, as the connection. Returns the result in its answer; undefined for a
 * success without a body.
 *
 * @throws ProviderError if the provider refuses it, or answers something else than JSON with a result
 * @throws InvalidInputs if the values of the connection make no base URL
 */
export async function sendToolRequest(
  { entry, context, http, costBudget }: ToolAccess,
  declared: ToolRequest,
  values: ToolValues,
  { resultPath, isRead, signal, now }: SendOptions,
): Promise<unknown> {
  const session = openSession(entry, context, http, now, { budget: costBudget })
  const base = resolveBaseUrl(apiUrlOf(entry, context.module), textOf(session.scope))
  const request = compileToolRequest(declared)
  const { response, error } = await session.attempt(request, base, toolScope(values), { signal, isRead })
  if (error) throw error
  const { json, body } = response
  const mayBeEmpty = request.method === 'HEAD' || !isRead
  if (mayBeEmpty && body.trim() === '') return undefined
  if (json === undefined) throw session.unexpected(response, 'The answer is not JSON.')
  if (resultPath !== undefined) {
    const result = compilePath(resultPath)(json)
    if (result === undefined) throw session.unexpected(response, `The answer has no ${JSON.stringify(resultPath)}.`)
    return result
  }
  if (!speaksOfError(json)) return json
  // Some APIs answer errors with 200.
  const { providerMessage = session.safe(JSON.stringify(json)) } = session.unexpected(response, '')
  throw new ProviderError('bad_request', 'The provider answered with an error.', {
    status: response.status,
    providerMessage,
  })
}

/** The template of the URL that paths of the provider file's objects are joined to. */
function apiUrlOf({ file, baseUrl, defaultModule = '' }: ProviderEntry, module = ''): string {
  return file?.sets.get(module === '' ? defaultModule : module)?.apiUrl ?? baseUrl
}
