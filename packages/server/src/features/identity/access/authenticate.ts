import type { Authenticate, Credential } from '../../../kernel/http/index.ts'
import type { FindIdentity, KeyLookup, LookupAgain } from './key-lookup.ts'

/** Prefix of the token of a connect session, as a bearer token. */
export const connectTokenPrefix = 'connect_'

/** Prefix of the access token of an agent session. */
export const agentTokenPrefix = 'agent_'

/**
 * Who a credential belongs to, whichever kind it is. A bearer token is one of a session, as its prefix says, or a
 * builder's or a consumer's: each of the two refuses what it did not issue or whose key it does not know.
 */
export function createAuthenticate(find: {
  apiKey: KeyLookup
  builderToken: LookupAgain
  consumerToken: LookupAgain
  /** Never cached, because what a session may do changes when its account is connected. */
  connectToken: FindIdentity
  /** Never cached, because a session may be revoked. */
  agentToken: FindIdentity
}): Authenticate {
  const sessionToken = (value: string) => {
    if (value.startsWith(connectTokenPrefix)) return find.connectToken(value.slice(connectTokenPrefix.length))
    if (value.startsWith(agentTokenPrefix)) return find.agentToken(value)
    return undefined
  }
  const authenticate: Authenticate = async ({ kind, value, fingerprint }) => {
    if (kind === 'apiKey') return await find.apiKey(value, fingerprint)
    const ofSession = sessionToken(value)
    if (ofSession) return await ofSession
    return (await find.builderToken(value, fingerprint)) ?? (await find.consumerToken(value))
  }
  return Object.assign(authenticate, {
    known: ({ kind, value, fingerprint }: Credential) =>
      kind === 'apiKey' ? find.apiKey.known(value, fingerprint) : undefined,
    again: async ({ kind, value, fingerprint }: Credential) => {
      if (kind === 'apiKey') return await find.apiKey.again(value, fingerprint)
      const ofSession = sessionToken(value)
      if (ofSession) return await ofSession
      return (await find.builderToken.again(value, fingerprint)) ?? (await find.consumerToken.again(value))
    },
  })
}
