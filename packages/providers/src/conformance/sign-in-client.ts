import type { ProviderEntry } from '../catalogue/entry.ts'
import type { CustomAuthentication } from '../catalogue/format/custom-authentication.ts'
import type { ConnectionContext, LiveCredential, ProviderHttp } from '../connector.ts'
import { type MintedToken, mintToken } from '../custom/mint-token.ts'
import { firstStep, runSteps } from '../custom/run-steps.ts'
import { attachCredential } from '../interpreter/auth.ts'
import type { StandInServer } from './stand-in/server.ts'
import { redirectUri, rightAssertion, type SignIn, state, wrongAssertion } from './stand-in/sign-in.ts'
import { type SignInValues, signInValues, withCheckedAssertions } from './stand-in/sign-in-values.ts'
import { now } from './stand-in/window-texts.ts'

/** A provider to which accounts sign in. */
export interface SignInSubject {
  /** The provider as the tested file declares it. */
  entry: ProviderEntry
  /** The provider as the file of the stand-in declares it. */
  declared: ProviderEntry
  /** The scheme of the stand-in. */
  scheme: CustomAuthentication
  base: string
  server: StandInServer
}

/** What differs from a customer who enters and confirms everything. */
export interface Customer {
  /** An input with another value. */
  wrong?: string
  /** Changes the parameters with which a browser comes back. */
  returned?: (params: Record<string, string>) => Record<string, string>
}

export interface Account {
  connection: ConnectionContext & { credential: LiveCredential }
  minted: MintedToken | undefined
  /** Pages to which the customer was redirected. */
  redirects: string[]
}

/**
 * Connects an account as the service does: the steps, and then a token. A refused session begins another one.
 *
 * @throws CustomAuthRefused, CustomAuthUnavailable
 */
export async function connectAccount(
  { entry, declared, scheme, server }: SignInSubject,
  signIn: SignIn,
  { wrong, returned = (params) => params }: Customer = {},
): Promise<Account> {
  const given = wrong === undefined ? signIn.right : signInValues(declared, scheme, wrong)
  const { metadata, app, inputs } = given
  const call = { http: httpTo(scheme, server, signIn, given), now: () => now }
  const redirects: string[] = []
  const browser = returned(paramsOf(scheme, signIn))
  const steps = { ...call, redirectUri, newState: () => state }
  const sources = { metadata, app, values: inputs }
  let outcome = await runSteps(entry, sources, firstStep, undefined, steps)
  while ('redirect' in outcome) {
    redirects.push(outcome.redirect)
    outcome = await runSteps(entry, sources, outcome.progress, browser, steps)
  }
  const values = { ...inputs, ...outcome.taken }
  const mint = () => mintToken(entry, { metadata, app, values }, call)
  const session = { generation: 0, minted: await mint() }
  const credential: LiveCredential = {
    async authenticate() {
      const { taken = {}, cookies } = session.minted ?? {}
      const all = { ...values, ...app, ...taken }
      const custom = { scheme: 'custom' as const, values: all, ...(cookies !== undefined && { cookies }) }
      return { ...attachCredential(entry.authentication, custom), generation: session.generation }
    },
    async refused(generation) {
      if (generation !== session.generation) return true
      session.generation++
      session.minted = await mint()
      return true
    },
  }
  return { connection: { metadata, app, credential }, minted: session.minted, redirects }
}

/** The parameters with which the browsers of all redirects come back. */
function paramsOf({ steps = [] }: CustomAuthentication, { brought }: SignIn): Record<string, string> {
  const redirects = steps.flatMap(({ redirect }) => redirect ?? [])
  const taken = redirects.flatMap(({ take = {} }) =>
    Object.entries(take).map(([name, from]) => [from, brought[name] ?? ''] as const),
  )
  return Object.assign({ state, ...Object.fromEntries(taken) }, ...redirects.map(({ expect }) => expect))
}

/** Sends requests to the stand-in, which gets what it thinks of an assertion in place of the assertion. */
function httpTo(
  { token }: CustomAuthentication,
  server: StandInServer,
  signIn: SignIn,
  given: SignInValues,
): ProviderHttp {
  const send = server.httpTo(signIn.standIn)
  return ({ url, headers, body, ...request }) => {
    const entered = signIn.texts(given.texts)
    const known = [
      { name: rightAssertion, values: signIn.texts(), key: 0 as const },
      { name: wrongAssertion, values: entered, key: 0 as const },
      { name: wrongAssertion, values: entered, key: 1 as const },
    ]
    const checked = (text: string) => withCheckedAssertions(text, token?.assertion, known, now)
    const sent = Object.entries(headers).map(([name, value]) => [name, checked(value)] as const)
    return send({
      ...{ ...request, url: checked(url), headers: Object.fromEntries(sent) },
      ...(body !== undefined && { body: checked(body) }),
    })
  }
}
