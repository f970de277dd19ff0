import { inspect } from 'node:util'
import type { ProviderEntry } from '../catalogue/entry.ts'
import type { CustomStep } from '../catalogue/format/custom-authentication.ts'
import { CustomAuthRefused, CustomAuthUnavailable } from '../custom/custom-auth-refused.ts'
import { compilePattern } from '../interpreter/pattern.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { ruledClass } from './failing-reads.ts'
import { endings, sessionFaults } from './session-cases.ts'
import { type Customer, connectAccount, type SignInSubject } from './sign-in-client.ts'
import { filledText, variablesIn } from './stand-in/fill.ts'
import type { Answer } from './stand-in/http-server.ts'
import { type Json, withValue } from './stand-in/json-paths.ts'
import type { StandInServer } from './stand-in/server.ts'
import {
  type Exchange,
  exchangesOf,
  failureOf,
  lifetimeSeconds,
  openSignIn,
  redirectUri,
  type SignIn,
  type SignInOptions,
  signInRequest,
  state,
} from './stand-in/sign-in.ts'
import { type SignInValues, signInValues } from './stand-in/sign-in-values.ts'
import { now } from './stand-in/window-texts.ts'
import { type Tried, tryCase } from './tried.ts'

type Options = Pick<SignInOptions, 'cookies' | 'tested' | 'wrong'>
type Run = (name: string, options: Options, test: (signIn: SignIn) => Promise<string[]>) => Promise<void>

/**
 * Signs in at a stand-in that performs the custom authentication of a file: its steps, its token and its cookies.
 *
 * @param declared the provider as the file of the stand-in declares it
 */
export async function signInCases(
  entry: ProviderEntry,
  declared: ProviderEntry,
  server: StandInServer,
): Promise<Tried[]> {
  const tried: Tried[] = []
  const scheme = declared.authentication.find((one) => one.scheme === 'custom')
  if (scheme?.token === undefined && scheme?.steps === undefined) return tried
  const base = filledText(declared.baseUrl, signInValues(declared, scheme).metadata) ?? ''
  const subject: SignInSubject = { entry, declared, scheme, base, server }
  const run: Run = async (name, options, test) => {
    const attempt = async () => {
      const signIn = openSignIn({ entry: declared, scheme, base, ...options })
      const found = await test(signIn).catch((error: unknown) => [`fails: ${String(error)}`])
      return [...signIn.standIn.refused.map((why) => `refused: ${why}`), ...found]
    }
    tried.push(await tryCase('sign-in', name, attempt))
  }
  await run('success', {}, (signIn) => successFaults(subject, signIn))
  await redirectCases(subject, run)
  await wrongInputCases(subject, run)
  const { all: exchanges } = exchangesOf(scheme)
  for (const [tested, exchange] of exchanges.entries())
    await failureCases(subject, run, { tested, exchange, of: exchanges.length > 1 ? ` ${tested + 1}` : '' })
  if (scheme.token === undefined) return tried
  for (const [name, answer] of endings(subject)) await run(name, {}, (signIn) => sessionFaults(subject, signIn, answer))
  if (scheme.token.cookies !== true) return tried
  const [, ended = { status: 401 }] = endings(subject)[0] ?? []
  await run('cookie attributes', { cookies: 'attributes' }, (signIn) => sessionFaults(subject, signIn, ended))
  for (const cookies of ['none', 'ended', 'foreign'] as const)
    await run(`cookies ${cookies}`, { cookies }, (signIn) => mustFail(subject, signIn))
  return tried
}

/** The sign-in sends what the file declares, and takes what it says. */
async function successFaults(subject: SignInSubject, signIn: SignIn): Promise<string[]> {
  const { minted, redirects } = await connectAccount(subject, signIn)
  const { scheme } = subject
  const values = { ...signIn.texts(), state, redirectUri }
  const declared = (scheme.steps ?? []).flatMap(({ redirect }) =>
    redirect === undefined ? [] : [{ ...redirect, ...signInRequest(redirect, values, undefined) }],
  )
  const shown = declared.map(({ address, query }) => [address, ...query].join(' '))
  const followed = redirects.map((text) => {
    const url = new URL(text)
    const query = [...url.searchParams].map((pair) => pair.join('=')).toSorted()
    return [`${url.origin}${url.pathname}`, ...query].join(' ')
  })
  const faults = String(followed) === String(shown) ? [] : [`redirects to ${String(followed)}, not ${String(shown)}`]
  if (scheme.token === undefined) return faults
  if (signIn.next() !== signIn.exchanges.length) faults.push(`${signIn.next()} of ${signIn.exchanges.length} requests`)
  const texts = signIn.texts()
  const other = Object.entries(minted?.taken ?? {}).filter(([name, value]) => texts[name] !== value)
  faults.push(...other.map(([name]) => `the value of ${name} is another`))
  const expires = scheme.token.expiresIn === undefined ? undefined : now + lifetimeSeconds * 1000
  if (minted?.expiresAt?.getTime() !== expires) faults.push(`the token ends at ${minted?.expiresAt?.toISOString()}`)
  return faults
}

/** Browsers that come back with something else. */
async function redirectCases(subject: SignInSubject, run: Run): Promise<void> {
  const redirects = (subject.scheme.steps ?? []).flatMap(({ redirect }) => redirect ?? [])
  if (redirects.length === 0) return
  const comesBack = (name: string, returned: Customer['returned']) =>
    run(name, {}, (signIn) => mustFail(subject, signIn, { ...(returned && { returned }) }))
  await comesBack('other state', (params) => ({ ...params, state: 'another state' }))
  await comesBack('error', (params) => ({ ...params, error: 'access_denied', error_description: 'No.' }))
  for (const { expect = {}, take = {} } of redirects)
    for (const name of [...Object.keys(expect), ...Object.values(take)]) {
      await comesBack(`no ${name}`, ({ [name]: _, ...rest }) => rest)
      if (name in expect) await comesBack(`other ${name}`, (params) => ({ ...params, [name]: 'another value' }))
    }
}

type Refusal = (exchange: Exchange, body: Json) => Answer | undefined

/** How a provider refuses what was entered: by a status, or as login forms do. */
const refusals: Record<string, Refusal> = {
  '': (_, body) => ({ status: 401, body }),
  ' without a status': failureOf,
}

/** Each input that the requests use, with another value. */
async function wrongInputCases(subject: SignInSubject, run: Run): Promise<void> {
  const { scheme, declared } = subject
  const { inputs = [], appInputs = [], steps = [], token } = scheme
  const requests = [steps.map(({ request }) => request), token?.steps, token?.request, token?.assertion]
  const used = new Set(variablesIn(requests).map((name) => name.split('.', 1)[0]))
  const { all: exchanges } = exchangesOf(scheme)
  for (const { name } of [...inputs, ...appInputs].filter((input) => used.has(input.name)))
    for (const [how, refuse] of Object.entries(refusals)) {
      if (exchanges.every((one) => refuse(one, {}) === undefined)) continue
      let count = 0
      const answer = (exchange: Exchange, secrets: readonly string[]): Answer => {
        count++
        const sent = [...secretsOf(signInValues(declared, scheme, name)), ...secrets]
        const refused = refuse(exchange, messageOf(subject, sent)) ?? { status: 401 }
        return { ...refused, headers: { 'set-cookie': 'session=of-a-stranger; Path=/' } }
      }
      await run(`wrong ${name}${how}`, { wrong: { name, answer } }, async (signIn) => {
        const faults = await mustFail(subject, signIn, { wrong: name })
        return count === 1 ? faults : [...faults, `${count} requests were refused`]
      })
    }
}

/** The body of a refusal that repeats what it was sent, at each location where the file looks for words. */
function messageOf({ declared }: SignInSubject, sent: readonly string[]): Json {
  const paths = declared.file?.errors.message ?? ['message']
  return paths.reduce<Json>((body, path) => withValue(body, path, `No: ${sent.join(' ')}`) as Json, {})
}

/** Every text that was entered. Lists are scopes. */
function secretsOf({ inputs, app }: SignInValues): string[] {
  return Object.values({ ...inputs, ...app }).flatMap((value) => (typeof value === 'string' ? value : []))
}

const html = '<!doctype html><html><head><title>Sign in</title></head></html>'

interface Tested {
  /** Position of the request whose response is another. */
  tested: number
  exchange: Exchange
  /** The request, as part of the name of a case. */
  of: string
}

/** Other responses than a success, in place of the response to one request. */
async function failureCases(subject: SignInSubject, run: Run, { tested, exchange, of }: Tested): Promise<void> {
  const fails = (name: string, instead: (answer: Answer) => Answer, isLater = false) =>
    run(`${name}${of}`, { tested }, async (signIn) => {
      signIn.standIn.instead = instead
      const faults = await mustFail(subject, signIn, {}, isLater)
      return signIn.next() === tested + 1 ? faults : [...faults, 'the sign-in continues']
    })
  if (isPageRefused(exchange))
    await fails('html', (answer) => ({ ...answer, status: 200, headers: cookiesOf(answer), body: html }))
  for (const [name, from] of Object.entries(exchange.take ?? {}))
    await fails(`no ${name}`, (answer) => without(answer, from))
  for (const [status, headers] of [
    [503, {}],
    [429, { 'retry-after': '7' }],
  ] as const) {
    const refused = { status, headers, body: { message: 'Later.' } }
    const kind = ruledClass({ entry: subject.declared }, refused) ?? (status === 503 ? 'provider_5xx' : 'rate_limited')
    await fails(String(status), () => refused, kind === 'provider_5xx' || kind === 'rate_limited')
  }
  if (exchange.success !== undefined && failureOf(exchange, {}) !== undefined)
    await fails('no success', (answer) => ({ ...failureOf(exchange, {}), headers: cookiesOf(answer) }))
}

const cookiesOf = ({ headers }: Answer) => ({ ...(headers?.['set-cookie'] && { 'set-cookie': headers['set-cookie'] }) })

/** Whether a page with status 200 differs from what the file declares: another response, or one with a value. */
function isPageRefused({ success, take = {} }: Exchange): boolean {
  const isOther = success !== undefined && (success.when !== undefined || success.headers !== undefined)
  const status = success?.status ?? 200
  const isFound = (from: Taken) => isCaptured(from) && compilePattern(from.capture ?? '').result(html) !== undefined
  return isOther || status !== 200 || Object.values(take).some((from) => !isFound(from) && !isCookie(from))
}

type Taken = NonNullable<CustomStep['take']>[string]
type TakenObject = Exclude<Taken, string | string[]>

const isTakenObject = (from: Taken): from is TakenObject => typeof from === 'object' && !Array.isArray(from)
const isCookie = (from: Taken): from is TakenObject => isTakenObject(from) && from.cookie !== undefined
const isCaptured = (from: Taken): from is TakenObject =>
  isTakenObject(from) && from.path === undefined && !isCookie(from)

/** A success that lacks one value. */
function without(answer: Answer, from: Taken): Answer {
  if (isCookie(from)) return { ...answer, headers: { ...answer.headers, 'set-cookie': [`session=other; Path=/`] } }
  if (isCaptured(from)) return { ...answer, body: '' }
  const paths = isTakenObject(from) ? [from.path ?? ''] : [from].flat()
  return { ...answer, body: paths.reduce((body: unknown, path) => withValue(body, path, ''), answer.body) }
}

/** The sign-in must fail, and say nothing secret. @param isLater whether it may succeed later */
async function mustFail(
  subject: SignInSubject,
  signIn: SignIn,
  customer: Customer = {},
  isLater = false,
): Promise<string[]> {
  const error: unknown = await connectAccount(subject, signIn, customer).then(
    () => 'a success',
    (failure: unknown) => failure,
  )
  if (!(error instanceof (isLater ? CustomAuthUnavailable : CustomAuthRefused))) return [String(error)]
  const { declared, scheme } = subject
  const entered = [signIn.right, signInValues(declared, scheme, customer.wrong)].flatMap(secretsOf)
  const shown = inspect(error)
  return withoutSecrets(shown, [...entered, ...signIn.secrets()]) === shown ? [] : [`shows a secret: ${shown}`]
}
