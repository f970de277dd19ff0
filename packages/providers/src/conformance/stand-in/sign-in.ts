import type { ProviderEntry } from '../../catalogue/entry.ts'
import type {
  CustomAuthentication,
  CustomRequest,
  CustomStep,
  Success,
} from '../../catalogue/format/custom-authentication.ts'
import { compilePattern } from '../../interpreter/pattern.ts'
import type { Placement } from '../sample-credentials.ts'
import { StandInLimit } from '../tried.ts'
import { type DeclaredRequest, declaredRequest } from './declared-request.ts'
import { filledText, type Values } from './fill.ts'
import type { Answer } from './http-server.ts'
import { fits, fitted, isJson, type Json, textFor, unfitted, withValue } from './json-paths.ts'
import { type CookieKind, openSetCookies, type SetCookies } from './set-cookies.ts'
import { type SignInValues, signInValues } from './sign-in-values.ts'
import { fixedRoute, type Route, type StandIn } from './stand-in.ts'

/** Seconds that a token lasts. */
export const lifetimeSeconds = 3600
/** Of every redirect of the suite. */
export const redirectUri = 'https://mortise.example.com/callback'
export const state = 'state-of-the-suite'

/** Texts that replace an assertion in a request: a valid one, and one with the wrong input. */
export const rightAssertion = 'the-assertion'
export const wrongAssertion = 'the-wrong-assertion'

type Taken = NonNullable<CustomStep['take']>[string]

/** A request of a sign-in. */
export interface Exchange {
  request: CustomRequest
  take?: Record<string, Taken>
  make?: Record<string, string>
  success?: Success
}

/** The provider to which an account signs in: each session has its own values and cookies. */
export interface SignIn {
  right: SignInValues
  /** Requests of the steps, which happen once, and then those of each token. */
  exchanges: readonly Exchange[]
  /** Takes the requests of the sign-in, in their order. */
  standIn: StandIn
  /** Values that the redirects of the steps bring back. */
  brought: Record<string, string>
  /** Number of sessions that were begun. */
  sessions(): number
  /** Position of the next request that the stand-in expects. */
  next(): number
  /** Values of the current session, with those that a customer enters. */
  texts(entered?: Values): Values
  /** Where requests have the credential of the current session. */
  placement(): Placement
  /** Every secret so far. */
  secrets(): string[]
}

export interface SignInOptions {
  entry: ProviderEntry
  scheme: CustomAuthentication
  base: string
  cookies?: CookieKind
  /** Position of the request whose response a case replaces. */
  tested?: number
  /** An input that the customer enters with another value, and how the stand-in refuses it. */
  wrong?: { name: string; answer: (exchange: Exchange, secrets: readonly string[]) => Answer }
}

/** The requests of the steps, and those with the requests of each token. */
export function exchangesOf({ steps = [], token }: CustomAuthentication): { ofSteps: Exchange[]; all: Exchange[] } {
  const ofSteps = steps.flatMap((step) => (step.request === undefined ? [] : [{ ...step, request: step.request }]))
  return { ofSteps, all: [...ofSteps, ...(token?.steps ?? []), ...(token === undefined ? [] : [token])] }
}

/** Makes the stand-in of a sign-in. */
export function openSignIn({ entry, scheme, base, cookies = 'plain', tested, wrong }: SignInOptions): SignIn {
  const { steps = [], token } = scheme
  const { ofSteps, all: exchanges } = exchangesOf(scheme)
  const right = signInValues(entry, scheme)
  const others = wrong && signInValues(entry, scheme, wrong.name).texts
  const brought = Object.fromEntries(
    steps.flatMap(({ redirect }) => Object.keys(redirect?.take ?? {}).map((name) => [name, `its ${name}/1`])),
  )
  const given = { ...brought, redirectUri, assertion: rightAssertion }
  const requested = token?.cookies === true ? exchanges.slice(ofSteps.length) : []
  const urls = [base, ...requested.map(({ request }) => filledUrl(request.url, { ...right.texts, ...given }))]
  const at = { next: 0, session: 0 }
  let taken: Json = {}
  let jar: SetCookies = openSetCookies(urls, cookies)
  const secrets = new Set<string>()
  const texts = (entered = right.texts): Values => ({ ...entered, ...given, ...taken })

  function routeOf(index: number): Route[] {
    const exchange = exchanges[index]
    if (exchange === undefined) return []
    // The cookies of a session that ended are not sent when another one begins.
    const cookie = index === at.next && index > ofSteps.length ? jar.header() : undefined
    const request = signInRequest(exchange.request, texts(), cookie)
    const isOfToken = token?.cookies === true && index >= ofSteps.length
    const route: Route = {
      ...fixedRoute(request, undefined),
      isTested: index === tested,
      answer() {
        begin(index)
        const { answer, values, named } = successOf(exchange, at.session, index === exchanges.length - 1)
        const made = Object.entries(exchange.make ?? {}).map(([name, text]) => {
          const filled = filledText(text, { ...texts(), ...values }) ?? ''
          return [name, Buffer.from(filled).toString('base64')] as const
        })
        taken = { ...taken, ...values, ...Object.fromEntries(made) }
        const set = isOfToken ? jar.set(`cookie-${index}-of-session-${at.session}`, named) : []
        for (const secret of [...Object.values(taken), ...set.map(valueOfCookie)])
          if (secret !== '') secrets.add(String(secret))
        return set.length === 0 ? answer : { ...answer, headers: { ...answer.headers, 'set-cookie': set } }
      },
    }
    if (wrong === undefined || others === undefined) return [route]
    const sent = { ...texts(others), assertion: wrongAssertion }
    const refused = signInRequest(exchange.request, sent, cookie)
    if (JSON.stringify(refused) === JSON.stringify(request)) return [route]
    return [route, { ...fixedRoute(refused, undefined), answer: () => wrong.answer(exchange, [...secrets]) }]
  }

  function begin(index: number): void {
    if (index === ofSteps.length) {
      at.session++
      jar = openSetCookies(urls, cookies)
    }
    at.next = index + 1
  }

  return {
    ...{ right, exchanges, brought, texts },
    sessions: () => at.session,
    next: () => at.next,
    secrets: () => [...secrets],
    standIn: {
      routes: () => [...new Set([at.next, ofSteps.length, 0])].flatMap(routeOf),
      placement: { headers: {}, query: {} },
      rules: (entry.file?.errors.rules ?? []) as Json[],
      instead: undefined,
      refused: [],
      arrived: [],
    },
    placement() {
      const fill = (templates: Record<string, string> = {}) =>
        Object.fromEntries(
          Object.entries(templates).flatMap(([name, text]) => {
            const value = filledText(text, texts())
            return value === undefined ? [] : [[name, value]]
          }),
        )
      const cookie = token?.cookies === true ? jar.header() : undefined
      const headers = { ...fill(scheme.headers), ...(cookie !== undefined && { Cookie: cookie }) }
      return { headers, query: fill(scheme.query), ...(scheme.form && { form: fill(scheme.form) }) }
    },
  }
}

function valueOfCookie(line: string): string {
  return /=([^;]*)/.exec(line)?.[1] ?? ''
}

/** The URL with its variables. One that an input has as a whole is not encoded. */
function filledUrl(url: string, values: Values): string {
  const encode = (value: string) => (/^https?:\/\//.test(value) ? value : encodeURIComponent(value))
  const filled = filledText(url, values, encode)
  if (filled === undefined || !URL.canParse(filled)) throw new StandInLimit('a URL of the sign-in has no value')
  return filled
}

export function signInRequest(request: CustomRequest, values: Values, cookie: string | undefined): DeclaredRequest {
  const { url, basic, form, json, ...declared } = request
  const user = basic === undefined ? undefined : filledText(basic, values)
  const body = form === undefined ? { body: json } : { body: form, encoding: 'form' }
  const made = declaredRequest({ ...declared, ...body, path: '' } as Json, filledUrl(url, values), values)
  return {
    ...made,
    headers: {
      ...made.headers,
      ...(user !== undefined && { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
      ...(cookie !== undefined && { cookie }),
    },
  }
}

/** A successful response with new values for everything that the file takes of it. */
function successOf({ take = {}, success = {}, ...exchange }: Exchange, session: number, isLast: boolean) {
  const values: Record<string, string> = {}
  const named: Record<string, string> = {}
  const lines: string[] = []
  let json = fitted({}, success.when as Json | undefined)
  for (const [name, from] of Object.entries(take)) {
    const { cookie, capture, path } = isJson(from) && !Array.isArray(from) ? from : pathOf(from, session)
    const plain = `${name}-of-session-${session}`
    if (cookie !== undefined) {
      named[cookie] = plain
      values[name] = plain
      continue
    }
    const [value, text] = capturedText(capture, [`${plain}/7Qz+Wm=rT?x&y~%2B`, plain])
    values[name] = value
    if (path === undefined) lines.push(text)
    else json = withValue(json, path, text)
  }
  const expiresIn = isLast ? (exchange as { expiresIn?: string }).expiresIn : undefined
  if (expiresIn !== undefined) json = withValue(json, expiresIn, lifetimeSeconds)
  const isText = lines.length > 0
  if (isText && Object.keys(json as Json).length > 0)
    throw new StandInLimit('a response of the sign-in would be JSON and another text')
  const headers = fitted({}, success.headers as Json | undefined) as Record<string, string>
  const answer: Answer = { status: success.status ?? 200, headers, body: isText ? lines.join('\n') : json }
  return { answer, values, named }
}

/** Of several paths, another one is used in each session. */
function pathOf(paths: string | string[], session: number): { path?: string; capture?: string; cookie?: string } {
  const all = [paths].flat()
  const path = all[session % all.length]
  return path === undefined ? {} : { path }
}

/** A text in which a pattern finds the first value that it can find, and that value. */
function capturedText(pattern: string | undefined, values: readonly string[]): [value: string, text: string] {
  if (pattern === undefined) return [values[0] ?? '', values[0] ?? '']
  const start = pattern.indexOf('(?<result>')
  const before = pattern.slice(0, start)
  const after = pattern.slice(start).replace(/^\(\?<result>(?:\[[^\]]*\]|\\.|[^()\\[])*\)[+*?]?/s, '')
  for (const value of values) {
    const text = `${textFor(before)}${value}${textFor(after)}`
    if (compilePattern(pattern).result(text) === value) return [value, text]
  }
  throw new StandInLimit(`the stand-in has no text for ${pattern}`)
}

/** A response that the file does not declare as a success; undefined if it declares only statuses. */
export function failureOf({ success }: Exchange, body: Json): Answer | undefined {
  if (success === undefined) return undefined
  const status = success.status ?? 200
  const found = unfitted(body, success.when as Json | undefined)
  if (success.when !== undefined && !fits(found, success.when as Json)) return { status, body: found }
  return status !== 200 || success.headers !== undefined ? { status: 200, body } : undefined
}
