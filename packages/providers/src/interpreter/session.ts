import type { ProviderEntry } from '../catalogue/entry.ts'
import type {
  Attachment,
  ConnectionContext,
  LiveCredential,
  ProviderHttp,
  ProviderHttpRequest,
  ProviderHttpResponse,
} from '../connector.ts'
import { ProviderError } from '../provider-error.ts'
import { appQuery, withApp, withAppValues } from './app-values.ts'
import { attachCredential, attachedHeaders } from './auth.ts'
import { sameOriginUrl } from './base-url.ts'
import { connectionParts } from './connection-parts.ts'
import { type CostLimitOptions, openCostKeeper, pauseFor } from './cost-limit.ts'
import { compileErrors, type ParsedResponse } from './errors.ts'
import { formBody, formType } from './form-body.ts'
import { rawAnswer } from './raw-answer.ts'
import type { CompiledRequest, Scope } from './request.ts'
import { parseBody, type ResponseFormat } from './response-format.ts'
import { safeMessage } from './safe-message.ts'
import { notJson } from './unexpected-answer.ts'
import { sendableUrl } from './url-length.ts'

/** One connection being talked to: its base URL, its credential, its variables, its errors. */
export interface Session {
  readonly scope: Scope
  /** Milliseconds since 1970. */
  now(): number
  /** Waits, unless the signal aborts. */
  pause(ms: number, signal: AbortSignal | undefined): Promise<void>
  /** Sends a declared request. @throws ProviderError */
  send(request: CompiledRequest, base: URL, scope: Scope, signal?: AbortSignal): Promise<ParsedResponse>
  /** Sends a declared request, and hands back whatever comes, with the error that it stands for. */
  attempt(request: CompiledRequest, base: URL, scope: Scope, options?: AttemptOptions): Promise<Attempt>
  /**
   * As `attempt`, for the URL of a next page.
   * @throws ProviderError, `unexpected_response` when it leaves the base's origin
   */
  follow(request: CompiledRequest, base: URL, url: string, scope: Scope, signal?: AbortSignal): Promise<Attempt>
  /** Requests a URL that the catalog declares as a whole. Returns the response, with the error that it means. */
  ask(method: string, url: URL, signal?: AbortSignal): Promise<Attempt>
  /**
   * Sends a request that a library made, to a declared URL. The body of a success is streamed. Headers of the file and
   * the credential take precedence over its own.
   */
  forward(
    request: { method: string; url: URL; headers: Record<string, string>; body?: string },
    signal?: AbortSignal,
  ): Promise<Attempt>
  /**
   * Streams a URL that the provider handed out. It carries the credential only on demand. Whatever refuses a URL that
   * has none says nothing about the credential: then there is no error.
   */
  download(
    url: URL,
    options: { withCredential: boolean; headers?: Record<string, string>; signal: AbortSignal | undefined },
  ): Promise<Attempt>
  /** URL of a declared request, without the credential. */
  urlOf(request: CompiledRequest, base: URL, scope: Scope): URL
  /** Takes the credential out of a URL that the provider handed back. */
  withoutCredential(base: URL, url: string): string
  /** A text of an answer in a form that may be shown. */
  safe(text: string): string
  /** A success that is not what the file declares; `message` says what is wrong with its JSON, where it is some. */
  unexpected(response: ParsedResponse, message: string): ProviderError
  /** The body of an answer, as safe. */
  raw(response: ParsedResponse): string | undefined
}

export interface Attempt {
  response: ParsedResponse
  error?: ProviderError
}

export interface AttemptOptions {
  /** Headers by lower-cased names that are sent unless something declares them. */
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
  /** True for a request that only reads, whatever its method. */
  isRead?: boolean
  /** True if the body of a success is streamed. */
  streams?: boolean
}

const urlAdvice = ' Select fewer fields, or send shorter values.'

export function openSession(
  entry: ProviderEntry,
  connection: ConnectionContext,
  http: ProviderHttp,
  now: () => number,
  costs: Omit<CostLimitOptions, 'now'> = {},
): Session {
  const { scope, headers: fixedHeaders } = connectionParts(entry, connection)
  const credential = liveCredential(entry, connection)
  // Query parameters that credentials stood in: a next page that the provider names may repeat them.
  const queryNames = new Set<string>()
  const secrets = new Set<string>()
  const answers = compileErrors(entry.file?.errors)
  const costKeeper = openCostKeeper(entry.file?.errors.costLimit, { ...costs, now })

  /** Sends a request as the connection, and once more with a renewed credential where the one before was refused. */
  async function exchange(
    make: (attachment: Attachment) => ProviderHttpRequest,
    signal: AbortSignal | undefined,
    request?: CompiledRequest,
  ): Promise<Attempt> {
    const options = signal === undefined ? {} : { signal }
    for (let again = false; ; again = true) {
      const attachment = await credential.authenticate(options)
      for (const name of Object.keys(attachment.query)) queryNames.add(name)
      for (const secret of attachment.secrets) secrets.add(secret)
      const { response, waitMs } = await costKeeper.send(request, signal, async () =>
        parsed(await http({ ...make(attachment), ...options }), request?.format),
      )
      const error = answers.classify(response, attachment.secrets, now(), waitMs)
      if (error === undefined) return { response }
      response.stream?.destroy()
      if (
        error.class !== 'auth_invalidated' ||
        !(await credential.refused(attachment.generation, { ...options, error })) ||
        again
      )
        return { response, error }
    }
  }

  /** @param urlWith the URL with such query parameters added */
  async function sendTo(
    request: CompiledRequest,
    base: URL,
    urlWith: (query: Record<string, string>) => URL,
    requestScope: Scope,
    { headers: further = {}, signal, ...kind }: AttemptOptions = {},
  ): Promise<Attempt> {
    return exchange(
      (attachment) => {
        const { body, query, ...own } = partsOf(request, base, requestScope, attachment.app)
        const headers: Record<string, string> = { ...further, ...fixedHeaders, ...own.headers }
        if (body !== undefined) headers['content-type'] ??= 'application/json'
        for (const name of Object.keys(query)) queryNames.add(name)
        const url = sendableUrl(urlWith({ ...query, ...attachment.query }).href, urlAdvice)
        return {
          method: request.method,
          url,
          // The credential last, so that no declared header can replace it.
          headers: { ...headers, ...attachedHeaders(attachment, url), ...replacing(own.headers, attachment) },
          ...(body !== undefined && { body: withFields(body, headers['content-type'], attachment.form) }),
          ...kind,
        }
      },
      signal,
      request,
    )
  }

  const attempt: Session['attempt'] = (request, base, requestScope, options) =>
    sendTo(request, base, (query) => buildUrl(request, base, requestScope, query), requestScope, options)

  return {
    scope,
    ...{ now, pause: costs.pause ?? pauseFor },
    attempt,
    send: async (request, base, requestScope, signal) =>
      answered(await attempt(request, base, requestScope, { signal })),
    async follow(request, base, next, requestScope, signal) {
      const url = sameOriginUrl(request.base(base, requestScope), next)
      if (url === undefined) throw elsewhere()
      return sendTo(request, base, (query) => withQuery(url, query), requestScope, { signal, isRead: true })
    },
    ask: (method, url, signal) =>
      exchange((attachment) => withAttachment({ method, url, headers: fixedHeaders }, attachment), signal),
    forward: (request, signal) => forward({ fixedHeaders, exchange }, request, signal),
    download: (url, options) => download({ http, exchange }, url, options),
    urlOf: (request, base, requestScope) => buildUrl(request, base, requestScope, {}),
    safe: (text) => safeMessage(text, [...secrets]),
    unexpected: (response, message) => unexpectedResponse(response, message, answers, [...secrets]),
    raw: ({ body }) => rawAnswer(body, [...secrets]),
    withoutCredential: (base, next) => withoutParameters(base, next, queryNames),
  }
}

/** The parts of a declared request that its templates make, with the settings of the provider app. */
function partsOf(
  request: CompiledRequest,
  base: URL,
  scope: Scope,
  app: Attachment['app'],
): { headers: Record<string, string>; body: string | undefined; query: Record<string, string> } {
  const filled = withApp(scope, app)
  const headers = Object.entries(made(() => request.headers(filled))).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ])
  return {
    headers: Object.fromEntries(headers),
    body: made(() => request.body(filled)),
    query: appQuery(request, app, scope, (one) => buildUrl(request, base, one, {})),
  }
}

/** Headers of a declared request that replace those of the file for every request. */
function replacing(own: Record<string, string>, { replaceable = [] }: Attachment): Record<string, string> {
  return Object.fromEntries(Object.entries(own).filter(([name]) => replaceable.includes(name)))
}

/** Sends a request that a library made. Headers of the file and the credential replace its own, except `accept`. */
function forward(
  { fixedHeaders: { accept: _, ...fixed }, exchange }: { fixedHeaders: Record<string, string>; exchange: Exchange },
  { headers, ...request }: Parameters<Session['forward']>[0],
  signal: AbortSignal | undefined,
): Promise<Attempt> {
  const sent = { ...request, headers: { ...headers, ...fixed }, streams: true }
  return exchange((attachment) => withAttachment(sent, attachment), signal)
}

/** Adds the credential to a request. It replaces headers of the request. */
function withAttachment<T extends { url: URL; headers: Record<string, string> }>(
  request: T,
  attachment: Attachment,
): Omit<T, 'url'> & { url: string } {
  const { href: url } = withQuery(request.url, attachment.query)
  return { ...request, url, headers: { ...request.headers, ...attachedHeaders(attachment, url) } }
}

/** Streams a URL with the credential, as every other request, or without one. */
async function download(
  { http, exchange }: { http: ProviderHttp; exchange: Exchange },
  url: URL,
  { withCredential, headers = {}, signal }: Parameters<Session['download']>[1],
): Promise<Attempt> {
  const request = { method: 'GET', headers: { accept: '*/*', ...headers }, isRead: true, streams: true }
  if (!withCredential) {
    const answer = await http({ ...request, url: url.href, ...(signal && { signal }) })
    return { response: { ...answer, json: undefined } }
  }
  const make = (attachment: Attachment) => ({
    ...request,
    url: withQuery(url, attachment.query).href,
    headers: { ...request.headers, ...attachment.headers },
  })
  return exchange(make, signal)
}

type Exchange = (
  make: (attachment: Attachment) => ProviderHttpRequest,
  signal: AbortSignal | undefined,
) => Promise<Attempt>

function elsewhere(): ProviderError {
  return new ProviderError('unexpected_response', 'The provider names a next page outside its declared host.')
}

function withoutParameters(base: URL, next: string, names: ReadonlySet<string>): string {
  const url = names.size === 0 ? undefined : sameOriginUrl(base, next)
  if (url === undefined) return next
  for (const name of names) url.searchParams.delete(name)
  return url.href
}

function unexpectedResponse(
  response: ParsedResponse,
  message: string,
  answers: Pick<ReturnType<typeof compileErrors>, 'messageIn'>,
  secrets: readonly string[],
): ProviderError {
  const safe = (text: string) => safeMessage(text, secrets)
  const raw = rawAnswer(response.body, secrets)
  if (response.json === undefined) return notJson(response, safe, raw)
  const providerMessage = answers.messageIn(response)
  return new ProviderError('unexpected_response', message, {
    status: response.status,
    ...(providerMessage !== undefined && { providerMessage: safe(providerMessage) }),
    ...(raw !== undefined && { rawResponse: raw }),
  })
}

/** The answer of a success. @throws ProviderError for any other */
function answered({ response, error }: Attempt): ParsedResponse {
  if (error !== undefined) throw error
  return response
}

/** A credential that stays as it is answers the same each time, and there is no other one. */
function liveCredential(entry: ProviderEntry, connection: ConnectionContext): LiveCredential {
  const { credential, app = {} } = connection
  if ('authenticate' in credential) return credential
  const plain = { ...attachCredential(entry.authentication, credential), generation: 0 }
  return { authenticate: async () => withAppValues(entry, plain, app, connection), refused: async () => false }
}

/** An error may be JSON whatever the format of a success is. As CSV, each sentence would be a list. */
function parsed(answer: ProviderHttpResponse, format: ResponseFormat | undefined): ParsedResponse {
  const isError = answer.status >= 400
  const json = isError ? parseBody(answer.body) : undefined
  const mayHaveFormat = !isError || (format !== 'csv' && format !== 'ndjson')
  return {
    ...answer,
    json: json ?? (mayHaveFormat ? parseBody(answer.body, format) : undefined),
    ...(format !== undefined && { format }),
  }
}

/** A form body with the fields of the credential; any other body as it is. */
function withFields(body: string, contentType: string | undefined, fields: Attachment['form']): string {
  if (fields === undefined || contentType !== formType) return body
  return [body, formBody(fields)].filter((part) => part !== '').join('&')
}

function withQuery(declared: URL, query: Record<string, string>): URL {
  const url = new URL(declared)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}

function buildUrl(request: CompiledRequest, base: URL, scope: Scope, extraQuery: Record<string, string>): URL {
  return made(() => request.url(request.base(base, scope), scope, extraQuery))
}

/** A part of a request; what a value makes impossible is the caller's fault. */
function made<T>(make: () => T): T {
  try {
    return make()
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new ProviderError('bad_request', `The request cannot be made: ${cause.message}`)
  }
}
