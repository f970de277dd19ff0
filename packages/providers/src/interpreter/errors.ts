import type { ErrorTable } from '../catalogue/format/provider-file.ts'
import type { Match } from '../catalogue/format/vocabulary.ts'
import type { ProviderHttpResponse } from '../connector.ts'
import type { ProviderErrorClass } from '../error-classes.ts'
import { ProviderError, type ProviderErrorDetails } from '../provider-error.ts'
import { retryAfterMs, waitUntilMs } from './header-time.ts'
import { compileMatch, type Matcher } from './match.ts'
import { bracketPath, compilePath, type PathReader } from './path.ts'
import { rawAnswer } from './raw-answer.ts'
import { firstRefusals } from './refusals.ts'
import type { ResponseFormat } from './response-format.ts'
import { safeMessage } from './safe-message.ts'
import { redirected } from './unexpected-answer.ts'

/** An answer, its body parsed where it is JSON. */
export interface ParsedResponse extends ProviderHttpResponse {
  json: unknown
  /** The format that the file declares. */
  format?: ResponseFormat
}

/** What the answers of a provider mean. */
export interface Answers {
  /**
   * Decides what an answer means; `undefined` for a success.
   *
   * @param costMs milliseconds until a request that was refused for its cost can be sent again, if that is known
   */
  classify(
    response: ParsedResponse,
    secrets: readonly string[],
    now: number,
    costMs?: number,
  ): ProviderError | undefined
  /** The provider's own words in an answer, not yet safe to show. */
  messageIn(response: ParsedResponse): string | undefined
}

/** Used after the file's own paths. */
const commonMessagePaths = [
  'message',
  'error.message',
  'error_description',
  'error',
  'detail',
  'title',
  'errors.0.message',
]

const compiled = new WeakMap<ErrorTable, Answers>()

/**
 * Returns what reads the errors of a provider, compiled once for a table. Rules of the file come first, then the status
 * (contract 6.10).
 */
export function compileErrors(table: ErrorTable = {}): Answers {
  const known = compiled.get(table) ?? compileTable(table)
  compiled.set(table, known)
  return known
}

function compileTable(table: ErrorTable): Answers {
  const rules = (table.rules ?? []).map((rule) => ({
    ...rule,
    fits: compileMatch(rule.when),
    fitsHeaders: compileMatch(byHeaderName(rule.headers)),
  }))
  const refusals = firstRefusals(table.details ?? [])
  const messagePaths = [...(table.message ?? []), ...commonMessagePaths].map(compilePath)
  const messageIn: Answers['messageIn'] = (response) => providerMessage(response, messagePaths)
  const classify: Answers['classify'] = (response, secrets, now, costMs = 0) => {
    const ruled = ruledClass(rules, response)
    const errorClass = ruled ?? statusClass(response.status)
    if (errorClass === undefined) return undefined
    const details: ProviderErrorDetails = { status: response.status }
    const raw = rawAnswer(response.body, secrets)
    if (raw !== undefined) details.rawResponse = raw
    const errors = refusals(response.json).map((text) => ({ message: safeMessage(text, secrets) }))
    if (errors.length > 0) details.errors = errors
    const message = messageIn(response) ?? errors[0]?.message
    if (message !== undefined) details.providerMessage = safeMessage(message, secrets)
    const ofCost = errorClass === 'rate_limited' && costMs > 0 ? costMs : undefined
    const wait = askedWaitMs(isLimit(errorClass) ? table : {}, (name) => response.headers[name], now) ?? ofCost
    if (wait !== undefined) details.retryAfterMs = wait
    const { message: providerMessage } =
      errorClass === 'unexpected_response' && response.status < 400
        ? redirected(response, (text) => safeMessage(text, secrets))
        : { message: `The provider answered with status ${response.status} (${errorClass}).` }
    return new ProviderError(errorClass, providerMessage, details)
  }
  return { classify, messageIn }
}

const refusals = new WeakMap<ErrorTable, RefusesCredential>()

/** Decides by status and headers alone whether a response refuses the credential. */
export type RefusesCredential = (status: number, headers: () => Record<string, string>) => boolean

/**
 * Returns what decides whether a response refuses the credential if nobody reads its body, as in the proxy: 401, or a
 * rule of the file without `when`. A rule with `when` above that one may make an exception of the response: such a
 * response counts as no refusal.
 */
export function refusesCredential(table: ErrorTable = {}): RefusesCredential {
  const known = refusals.get(table) ?? compileRefusal(table)
  refusals.set(table, known)
  return known
}

function compileRefusal({ rules = [] }: ErrorTable): RefusesCredential {
  const refuses = ({ is }: { is: ProviderErrorClass }) => is === 'auth_invalidated'
  if (!rules.some((rule) => rule.when === undefined && refuses(rule))) return (status) => status === 401
  const byHead = rules.map((rule) => ({ ...rule, fitsHeaders: compileMatch(byHeaderName(rule.headers)) }))
  return (status, read) => {
    const headers = read()
    const fitting = byHead.filter((one) => (one.status ?? status) === status && one.fitsHeaders(headers))
    const at = fitting.findIndex(({ when }) => when === undefined)
    if (at < 0) return statusClass(status) === 'auth_invalidated'
    return fitting.slice(0, at + 1).every(refuses)
  }
}

/** A file's own headers may be present in every response: they count only after too many requests. */
function isLimit(errorClass: ProviderErrorClass): boolean {
  return errorClass === 'rate_limited' || errorClass === 'provider_5xx'
}

interface Rule {
  status?: number
  fits: Matcher
  fitsHeaders: Matcher
  is: ProviderErrorClass
}

/** The conditions of a rule look into the JSON of a response. Of any other response, the path '' is the text. */
function ruledClass(
  rules: readonly Rule[],
  { status, json, body, headers }: ParsedResponse,
): ProviderErrorClass | undefined {
  const content = json === undefined ? body : json
  return rules.find(
    (rule) => (rule.status === undefined || rule.status === status) && rule.fits(content) && rule.fitsHeaders(headers),
  )?.is
}

/** Names of headers as paths into those of an answer, which stand there in small letters. */
export function byHeaderName(headers: Match | undefined): Match | undefined {
  const named = Object.entries(headers ?? {}).map(
    ([name, wanted]) => [bracketPath([name.toLowerCase()]), wanted] as const,
  )
  return headers && Object.fromEntries(named)
}

function statusClass(status: number): ProviderErrorClass | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status === 401) return 'auth_invalidated'
  if (status === 403) return 'forbidden'
  if (status === 404 || status === 410) return 'not_found'
  if (status === 429) return 'rate_limited'
  if (status >= 500) return 'provider_5xx'
  // Redirects are not followed: another place must not get the credential.
  return status >= 400 ? 'bad_request' : 'unexpected_response'
}

function providerMessage({ json, body }: ParsedResponse, paths: readonly PathReader[]): string | undefined {
  for (const read of paths) {
    const found = read(json)
    if (typeof found === 'string' && found !== '') return found
  }
  // A page of HTML does not help the user.
  return json === undefined && body !== '' && !/^\s*</.test(body) ? body : undefined
}

/**
 * Returns the milliseconds that a refused request asks to wait: by `Retry-After`, else by what the file declares. A
 * file may also declare another format of `Retry-After`. Undefined if the response names no time.
 *
 * @param header returns a header of the response by its name in lower case
 */
export function askedWaitMs(
  { retryAfterHeaders = {} }: Pick<ErrorTable, 'retryAfterHeaders'>,
  header: (name: string) => string | undefined,
  now: number,
): number | undefined {
  const declared = Object.entries(retryAfterHeaders)
  const isOwn = declared.some(([name]) => name.toLowerCase() === 'retry-after')
  const standard = isOwn ? undefined : retryAfterMs(header('retry-after'), now)
  if (standard !== undefined) return standard
  for (const [name, format] of declared) {
    const wait = waitUntilMs(header(name.toLowerCase()), format, now)
    if (wait !== undefined) return wait
  }
  return undefined
}
