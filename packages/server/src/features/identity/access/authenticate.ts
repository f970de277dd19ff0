import type { Authenticate, Credential } from '../../../kernel/http/index.ts'
import type { FindIdentity, KeyLookup, LookupAgain } from './key-lookup.ts'

/** Prefix of the token of a connect session, as a bearer token. */
export const connectTokenPrefix = 'connect_'

/**
 * Who a credential belongs to, whichever kind it is. A bearer token is one of a connect session, as its prefix says, or
 * a builder's or a consumer's: each of the two refuses what it did not issue or whose key it does not know.
 */
export function createAuthenticate(find: {
  apiKey: KeyLookup
  builderToken: LookupAgain
  consumerToken: LookupAgain
  /** Never cached, because what a session may do changes when its account is connected. */
  connectToken: FindIdentity
}): Authenticate {
  const connectToken = (value: string) => find.connectToken(value.slice(connectTokenPrefix.length))
  const authenticate: Authenticate = async ({ kind, value, fingerprint }) => {
    if (kind === 'apiKey') return await find.apiKey(value, fingerprint)
    if (value.startsWith(connectTokenPrefix)) return await connectToken(value)
    return (await find.builderToken(value, fingerprint)) ?? (await find.consumerToken(value))
  }
  return Object.assign(authenticate, {
    known: ({ kind, value, fingerprint }: Credential) =>
      kind === 'apiKey' ? find.apiKey.known(value, fingerprint) : undefined,
    again: async ({ kind, value, fingerprint }: Credential) => {
      if (kind === 'apiKey') return await find.apiKey.again(value, fingerprint)
      if (value.startsWith(connectTokenPrefix)) return await connectToken(value)
      return (await find.builderToken.again(value, fingerprint)) ?? (await find.consumerToken.again(value))
    },
  })
}
