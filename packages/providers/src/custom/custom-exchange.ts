import type { CustomRequest, Success, TakenFrom } from '../catalogue/format/custom-authentication.ts'
import type { ErrorTable } from '../catalogue/format/provider-file.ts'
import type { ProviderHttp, ProviderHttpRequest } from '../connector.ts'
import { resolveUrl } from '../interpreter/base-url.ts'
import { byHeaderName, compileErrors, type ParsedResponse } from '../interpreter/errors.ts'
import { compileMatch } from '../interpreter/match.ts'
import { compilePath, isObject, scalarText } from '../interpreter/path.ts'
import { compilePattern } from '../interpreter/pattern.ts'
import { compileBody, compileMap, filledMap, type Scope } from '../interpreter/request.ts'
import { safeMessage } from '../interpreter/safe-message.ts'
import { parseTemplate, render } from '../interpreter/template.ts'
import { InvalidInputs } from '../provider-error.ts'
import { CustomAuthRefused, CustomAuthUnavailable } from './custom-auth-refused.ts'
import { customText } from './custom-variables.ts'
import type { SessionCookies } from './session-cookies.ts'

/** What an exchange is declared as: a request, and what is taken from its answer and made of it. */
interface Exchange {
  request: CustomRequest
  take?: Record<string, string | string[] | TakenFrom>
  make?: Record<string, string>
  success?: Success
}

export interface ExchangeOptions {
  http: ProviderHttp
  /** Variables; the secrets that were taken are laid over them for `make`. */
  scope: Scope
  /** What the provider's words are freed from. */
  secrets: readonly string[]
  /** What the provider's file says of error responses. */
  errors?: ErrorTable | undefined
  /** Cookies that requests send and responses set, where the file declares them. */
  cookies?: SessionCookies | undefined
  /** Milliseconds since 1970. */
  now: number
  signal?: AbortSignal | undefined
}

/** No secret of an answer is longer. */
const secretLengthMax = 20_000
/** Patterns look at the beginning of a page, where its login form is. */
const lookedThrough = 100_000

/**
 * Sends a declared request and takes from its answer what is declared.
 *
 * @throws CustomAuthRefused, CustomAuthUnavailable
 */
export async function exchange(
  { request, take = {}, make = {}, success }: Exchange,
  { http, scope, secrets, errors = {}, cookies, now, signal }: ExchangeOptions,
): Promise<{ taken: Record<string, string>; json: unknown }> {
  const filled = filledRequest(request, scope)
  const cookie = cookies?.headerFor(filled.url)
  if (cookie !== undefined) filled.headers['cookie'] = cookie
  const answer = await send(http, { ...filled, ...(signal && { signal }) })
  const json = parsed(answer.body)
  const response = { ...answer, json }
  assertSuccess(response, success, errors, [...secrets, ...(cookies?.values() ?? [])], now)
  cookies?.keep(filled.url, answer.headers)
  const taken: Record<string, string> = {}
  for (const [name, paths] of Object.entries(take))
    taken[name] = takenFrom(response, name, paths, { cookies, url: filled.url })
  const over: Scope = (name) => (Object.hasOwn(taken, name) ? taken[name] : scope(name))
  return { taken: { ...taken, ...made(make, over) }, json }
}

/** @throws CustomAuthRefused, CustomAuthUnavailable */
function assertSuccess(
  response: ParsedResponse,
  success: Success | undefined,
  errors: ErrorTable,
  secrets: readonly string[],
  now: number,
): void {
  const { json, status } = response
  if (success !== undefined && isSuccess(response, success)) return
  const answers = compileErrors(errors)
  const error = answers.classify(response, secrets, now)
  if (error?.class === 'provider_5xx' || error?.class === 'rate_limited') {
    throw new CustomAuthUnavailable(error.message, { retryAfterMs: error.retryAfterMs })
  }
  if (error === undefined && success === undefined) return
  const sentence = error?.message ?? `The response with status ${status} is not that of a successful sign-in.`
  const message = error === undefined ? answers.messageIn(response) : error.providerMessage
  const words = message === undefined ? '' : ` It says: ${safeMessage(message, secrets)}`
  throw new CustomAuthRefused(errorWord(json), `${sentence}${words}`)
}

function isSuccess({ status, headers, json }: ParsedResponse, success: Success): boolean {
  const fitsStatus = success.status === undefined ? status >= 200 && status < 300 : status === success.status
  return fitsStatus && compileMatch(success.when)(json) && compileMatch(byHeaderName(success.headers))(headers)
}

function filledRequest(request: CustomRequest, scope: Scope): ProviderHttpRequest {
  const text = customText(scope)
  const url = filledUrl(request.url, request.query, scope)
  const headers: Record<string, string> = { accept: 'application/json' }
  for (const [name, value] of Object.entries(filledMap(compileMap(request.headers), text)))
    headers[name.toLowerCase()] = value
  const outgoing: ProviderHttpRequest = { method: request.method ?? 'GET', url: url.href, headers }
  const basic = request.basic === undefined ? undefined : render(parseTemplate(request.basic), text)
  if (basic !== undefined) headers['authorization'] = `Basic ${base64(basic)}`
  if (request.form !== undefined) {
    headers['content-type'] = 'application/x-www-form-urlencoded'
    outgoing.body = new URLSearchParams(filledMap(compileMap(request.form), text)).toString()
  } else if (request.json !== undefined) {
    headers['content-type'] = 'application/json'
    outgoing.body = JSON.stringify(compileBody(request.json).fill(scope) ?? {})
  }
  return outgoing
}

/**
 * A declared URL with its query. The host is the declared one, completed by labels (`resolveUrl`).
 *
 * @throws CustomAuthRefused when the inputs make no usable URL
 */
export function filledUrl(declared: string, query: Record<string, string> | undefined, scope: Scope): URL {
  const text = customText(scope)
  try {
    const url = resolveUrl(declared, text)
    for (const [name, value] of Object.entries(filledMap(compileMap(query), text))) url.searchParams.set(name, value)
    return url
  } catch (cause) {
    if (!(cause instanceof InvalidInputs) && !(cause instanceof RangeError)) throw cause
    throw new CustomAuthRefused(
      'unusable_inputs',
      `The inputs make no usable address of the provider. ${cause.message}`,
      { cause },
    )
  }
}

/** Network failures of any kind are for later; what the caller aborted is the caller's. */
async function send(http: ProviderHttp, request: ProviderHttpRequest) {
  try {
    return await http(request)
  } catch (cause) {
    if (request.signal?.aborted) throw cause
    throw new CustomAuthUnavailable('The provider could not be reached.', { cause })
  }
}

function takenFrom(
  { json, body }: ParsedResponse,
  name: string,
  from: string | string[] | TakenFrom,
  { cookies, url }: { cookies: SessionCookies | undefined; url: string },
): string {
  const found = isObject(from)
    ? [from.cookie === undefined ? captured({ json, body }, from) : cookies?.valueOf(url, from.cookie)]
    : [from].flat().map((path) => scalarText(compilePath(path)(json)))
  const value = found.find((text) => text !== undefined && text !== '' && text.length <= secretLengthMax)
  if (value !== undefined) return value
  throw new CustomAuthRefused('unusable_answer', `The provider's answer does not hold ${name}.`)
}

function captured({ json, body }: { json: unknown; body: string }, { path, capture }: TakenFrom): string | undefined {
  const text = path === undefined ? body.slice(0, lookedThrough) : scalarText(compilePath(path)(json))
  return capture === undefined || text === undefined ? text : compilePattern(capture).result(text)
}

function made(make: Record<string, string>, scope: Scope): Record<string, string> {
  const values = filledMap(compileMap(make), customText(scope))
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, base64(value)]))
}

/** The `error` of RFC 6749, 5.2, where the answer has one that looks like it. */
function errorWord(json: unknown): string {
  const word = compilePath('error')(json)
  return typeof word === 'string' && /^[\w.-]{1,80}$/.test(word) ? word : 'refused'
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return undefined
  }
}
