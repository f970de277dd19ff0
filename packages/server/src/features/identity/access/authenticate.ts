import type { Authenticate, Credential } from '../../../kernel/http/index.ts'
import type { KeyLookup, LookupAgain } from './key-lookup.ts'

/**
 * Who a credential belongs to, whichever kind it is. A bearer token is a builder's or a consumer's: each of the two
 * refuses what it did not issue or whose key it does not know.
 */
export function createAuthenticate(find: {
  apiKey: KeyLookup
  builderToken: LookupAgain
  consumerToken: LookupAgain
}): Authenticate {
  const authenticate: Authenticate = async ({ kind, value, fingerprint }) => {
    if (kind === 'apiKey') return await find.apiKey(value, fingerprint)
    return (await find.builderToken(value, fingerprint)) ?? (await find.consumerToken(value))
  }
  return Object.assign(authenticate, {
    known: ({ kind, value, fingerprint }: Credential) =>
      kind === 'apiKey' ? find.apiKey.known(value, fingerprint) : undefined,
    again: async ({ kind, value, fingerprint }: Credential) => {
      if (kind === 'apiKey') return await find.apiKey.again(value, fingerprint)
      return (await find.builderToken.again(value, fingerprint)) ?? (await find.consumerToken.again(value))
    },
  })
}
