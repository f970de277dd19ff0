import { LRUCache } from 'lru-cache'
import type { Outbound } from '../../../kernel/net/index.ts'
import { oauth2Scheme } from './oauth2-scheme.ts'
import { TokenRefused } from './token-errors.ts'
import type { ClientAuthentication, TokenRequest } from './token-request.ts'

/** What worked last, by provider and client, for as long as the node lives that found it out. */
const known = new WeakMap<Outbound, LRUCache<string, ClientAuthentication>>()

/** Refusals that another way to authenticate would not change: the client was known, the grant was not good. */
const conclusive = new Set(['invalid_grant', 'invalid_scope', 'unauthorized_client', 'unsupported_grant_type'])

/**
 * Asks in the way that the provider takes. Its file may say which; else HTTP Basic comes first, which every server must
 * take (RFC 6749,
 * 2.3.1), and when that is refused, the secret goes into the body once. What worked is remembered.
 */
export async function withClientAuthentication<T>(
  outbound: Outbound,
  { entry, client, server }: Pick<TokenRequest, 'entry' | 'client' | 'server'>,
  ask: (way: ClientAuthentication) => Promise<T>,
): Promise<T> {
  const declared = client.authentication ?? server?.clientAuthentication ?? oauth2Scheme(entry)?.clientAuthentication
  if (client.clientSecret === '' || declared === 'none') return ask('none')
  if (declared !== undefined) return ask(declared)
  const methods = known.get(outbound) ?? new LRUCache<string, ClientAuthentication>({ max: 1_000 })
  known.set(outbound, methods)
  const key = JSON.stringify([entry.name, client.clientId, server?.tokenEndpoint])
  const remembered = methods.get(key)
  if (remembered) return ask(remembered)
  const worked = <A>(way: ClientAuthentication, answer: A) => {
    methods.set(key, way)
    return answer
  }
  try {
    return worked('basic', await ask('basic'))
  } catch (error) {
    if (!(error instanceof TokenRefused) || conclusive.has(error.error)) throw error
    return worked('body', await ask('body'))
  }
}
