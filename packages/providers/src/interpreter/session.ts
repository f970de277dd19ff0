import type { ProviderEntry } from '../catalogue/entry.ts'
import type { ConnectionContext, ProviderHttp, ProviderHttpRequest } from '../connector.ts'
import { ProviderError } from '../provider-error.ts'
import { type Attachment, attachCredential } from './auth.ts'
import { sameOriginUrl } from './base-url.ts'
import { type Classify, compileErrors, type ParsedResponse } from './errors.ts'
import { type CompiledRequest, type Scope, scopeOf, textOf } from './request.ts'
import { parseTemplate, render } from './template.ts'

/** One connection being talked to: its base URL, its credential, its variables, its errors. */
export interface Session {
  readonly scope: Scope
  /** Sends a declared request. @throws ProviderError */
  send(request: CompiledRequest, base: URL, scope: Scope, signal?: AbortSignal): Promise<ParsedResponse>
  /** Follows the URL of a next page. @throws ProviderError, `unexpected_response` when it leaves the base's origin */
  follow(request: CompiledRequest, base: URL, url: string, scope: Scope, signal?: AbortSignal): Promise<ParsedResponse>
  /** Asks for a URL that the catalogue declares as a whole, and hands back whatever comes. */
  ask(method: string, url: URL, signal?: AbortSignal): Promise<ParsedResponse>
  classify(response: ParsedResponse): ProviderError | undefined
  /** URL of a declared request, without the credential. */
  urlOf(request: CompiledRequest, base: URL, scope: Scope): URL
  /** Takes the credential out of a URL that the provider handed back. */
  withoutCredential(base: URL, url: string): string
}

/** Variables of a connection: its metadata inputs (with their defaults) and `workspace`. */
export function connectionScope(
  entry: ProviderEntry,
  connection: Pick<ConnectionContext, 'metadata' | 'workspaceRef'>,
): Scope {
  const values: Record<string, unknown> = {}
  for (const input of entry.inputs) if (input.default !== undefined) values[input.name] = input.default
  if (connection.workspaceRef !== undefined && connection.workspaceRef !== '')
    values['workspace'] = connection.workspaceRef
  for (const [name, value] of Object.entries(connection.metadata)) if (value !== '') values[name] = value
  return scopeOf(values)
}

export function openSession(
  entry: ProviderEntry,
  connection: ConnectionContext,
  http: ProviderHttp,
  now: () => number,
): Session {
  const attachment: Attachment = attachCredential(entry.authentication, connection.credential)
  const scope = connectionScope(entry, connection)
  const classifyAnswer: Classify = compileErrors(entry.file?.errors ?? {})
  const fixedHeaders: Record<string, string> = { accept: 'application/json' }
  for (const [name, text] of Object.entries(entry.file?.headers ?? {})) {
    const value = render(parseTemplate(text), textOf(scope))
    if (value !== undefined) fixedHeaders[name.toLowerCase()] = value
  }

  const classify = (response: ParsedResponse) => classifyAnswer(response, attachment.secrets, now())

  async function exchange(request: ProviderHttpRequest): Promise<ParsedResponse> {
    const response = await http(request)
    return { ...response, json: parseJson(response.body) }
  }

  async function sendTo(request: CompiledRequest, url: URL, requestScope: Scope, signal?: AbortSignal) {
    const headers = { ...fixedHeaders }
    for (const [name, value] of Object.entries(request.headers(requestScope))) headers[name.toLowerCase()] = value
    const outgoing: ProviderHttpRequest = { method: request.method, url: url.href, headers }
    const body = request.body(requestScope)
    if (body !== undefined) {
      headers['content-type'] ??= 'application/json'
      outgoing.body = body
    }
    // Last, so that no declared header can stand in for the credential.
    Object.assign(headers, attachment.headers)
    if (signal !== undefined) outgoing.signal = signal
    const response = await exchange(outgoing)
    const error = classify(response)
    if (error !== undefined) throw error
    return response
  }

  return {
    scope,
    classify,
    send: (request, base, requestScope, signal) =>
      sendTo(request, buildUrl(request, base, requestScope, attachment.query), requestScope, signal),
    follow(request, base, next, requestScope, signal) {
      const url = sameOriginUrl(base, next)
      if (url === undefined) {
        throw new ProviderError('unexpected_response', 'The provider names a next page outside its declared host.')
      }
      for (const [name, value] of Object.entries(attachment.query)) url.searchParams.set(name, value)
      return sendTo(request, url, requestScope, signal)
    },
    ask(method, declared, signal) {
      const url = new URL(declared)
      for (const [name, value] of Object.entries(attachment.query)) url.searchParams.set(name, value)
      const headers = { ...fixedHeaders, ...attachment.headers }
      return exchange({ method, url: url.href, headers, ...(signal === undefined ? {} : { signal }) })
    },
    urlOf: (request, base, requestScope) => buildUrl(request, base, requestScope, {}),
    withoutCredential(base, next) {
      const names = Object.keys(attachment.query)
      const url = names.length === 0 ? undefined : sameOriginUrl(base, next)
      if (url === undefined) return next
      for (const name of names) url.searchParams.delete(name)
      return url.href
    },
  }
}

function buildUrl(request: CompiledRequest, base: URL, scope: Scope, extraQuery: Record<string, string>): URL {
  try {
    return request.url(base, scope, extraQuery)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new ProviderError('bad_request', `The request cannot be made: ${cause.message}`)
  }
}

/** The parsed body, `undefined` when it is empty or no JSON. */
function parseJson(body: string): unknown {
  if (body === '') return undefined
  try {
    return JSON.parse(body) as unknown
  } catch {
    return undefined
  }
}
