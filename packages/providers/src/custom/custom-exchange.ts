import type { CustomRequest } from '../catalogue/format/custom-authentication.ts'
import type { ProviderHttp, ProviderHttpRequest } from '../connector.ts'
import { resolveUrl } from '../interpreter/base-url.ts'
import { compileErrors } from '../interpreter/errors.ts'
import { compilePath, scalarText } from '../interpreter/path.ts'
import { compileBody, compileMap, filledMap, type Scope } from '../interpreter/request.ts'
import { parseTemplate, render } from '../interpreter/template.ts'
import { InvalidInputs } from '../provider-error.ts'
import { CustomAuthRefused, CustomAuthUnavailable } from './custom-auth-refused.ts'
import { customText } from './custom-variables.ts'

/** What an exchange is declared as: a request, and what is taken from its answer and made of it. */
interface Exchange {
  request: CustomRequest
  take?: Record<string, string | string[]>
  make?: Record<string, string>
}

export interface ExchangeOptions {
  http: ProviderHttp
  /** Variables; the secrets that were taken are laid over them for `make`. */
  scope: Scope
  /** What the provider's words are freed from. */
  secrets: readonly string[]
  /** Milliseconds since 1970. */
  now: number
  signal?: AbortSignal | undefined
}

/** No secret of an answer is longer. */
const secretLengthMax = 20_000

const answers = compileErrors({})

/**
 * Sends a declared request and takes from its answer what is declared.
 *
 * @throws CustomAuthRefused, CustomAuthUnavailable
 */
export async function exchange(
  { request, take = {}, make = {} }: Exchange,
  { http, scope, secrets, now, signal }: ExchangeOptions,
): Promise<{ taken: Record<string, string>; json: unknown }> {
  const response = await send(http, { ...filledRequest(request, scope), ...(signal && { signal }) })
  const json = parsed(response.body)
  const error = answers.classify({ ...response, json }, [...secrets], now)
  if (error?.class === 'provider_5xx' || error?.class === 'rate_limited') {
    throw new CustomAuthUnavailable(error.message, { retryAfterMs: error.retryAfterMs })
  }
  if (error !== undefined) {
    const words = error.providerMessage === undefined ? '' : ` It says: ${error.providerMessage}`
    throw new CustomAuthRefused(errorWord(json), `${error.message}${words}`)
  }
  const taken: Record<string, string> = {}
  for (const [name, paths] of Object.entries(take)) taken[name] = takenFrom(json, name, [paths].flat())
  const over: Scope = (name) => (Object.hasOwn(taken, name) ? taken[name] : scope(name))
  return { taken: { ...taken, ...made(make, over) }, json }
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

function takenFrom(json: unknown, name: string, paths: readonly string[]): string {
  for (const path of paths) {
    const value = scalarText(compilePath(path)(json))
    if (value !== undefined && value !== '' && value.length <= secretLengthMax) return value
  }
  throw new CustomAuthRefused('unusable_answer', `The provider's answer does not hold ${name}.`)
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
