import type { ProviderEntry } from '../catalogue/entry.ts'
import type { ProviderHttp } from '../connector.ts'
import { compilePath } from '../interpreter/path.ts'
import { CustomAuthRefused } from './custom-auth-refused.ts'
import { exchange } from './custom-exchange.ts'
import { customScheme, tokenRequests } from './custom-scheme.ts'
import { type CustomSources, customText, customVariables, secretsOf } from './custom-variables.ts'
import { openCookies } from './session-cookies.ts'
import { signAssertion } from './sign-assertion.ts'

export interface CustomCall {
  http: ProviderHttp
  /** Milliseconds since 1970. */
  now: () => number
  signal?: AbortSignal | undefined
}

/** What a token yields: the secrets that requests carry, and when they end, where the provider says so. */
export interface MintedToken {
  taken: Record<string, string>
  /** The cookies that requests carry, as text; only where the file declares them. */
  cookies?: string
  expiresAt?: Date
}

const lifetimeSecondsMax = 10 * 365 * 86_400

/**
 * Asks for the token that the provider's file declares.
 *
 * @returns undefined where the file declares none: what was given is what requests carry
 * @throws CustomAuthRefused, CustomAuthUnavailable
 */
export async function mintToken(
  entry: ProviderEntry,
  sources: CustomSources,
  { http, now, signal }: CustomCall,
): Promise<MintedToken | undefined> {
  const scheme = customScheme(entry)
  const declared = scheme?.token
  if (scheme === undefined || declared === undefined) return undefined
  const asked = now()
  const plain = customVariables(entry, scheme, sources)
  const system: Record<string, string> = {}
  if (declared.assertion !== undefined) {
    system['assertion'] = await signAssertion(declared.assertion, customText(plain), asked)
  }
  const cookies = declared.cookies === true ? openCookies() : undefined
  let taken: Record<string, string> = {}
  let json: unknown
  for (const step of tokenRequests(scheme)) {
    const values = { ...sources.values, ...taken }
    const scope = customVariables(entry, scheme, { ...sources, values }, system)
    const secrets = [...secretsOf(values), ...secretsOf(sources.app ?? {}), ...secretsOf(system)]
    const errors = entry.file?.errors
    const answer = await exchange(step, { http, scope, secrets, errors, cookies, now: asked, signal })
    taken = { ...taken, ...answer.taken }
    json = answer.json
  }
  if (cookies?.values().length === 0)
    throw new CustomAuthRefused('unusable_answer', 'The provider set no cookie that its own host may read.')
  const minted = { taken, ...(cookies && { cookies: cookies.stored() }) }
  if (declared.expiresIn === undefined) return minted
  const seconds = Number(compilePath(declared.expiresIn)(json) ?? Number.NaN)
  if (Number.isNaN(seconds)) return minted
  if (seconds < 0 || seconds > lifetimeSecondsMax) {
    throw new CustomAuthRefused('unusable_answer', "The provider's answer does not say when the token ends.")
  }
  return { ...minted, expiresAt: new Date(asked + seconds * 1000) }
}
