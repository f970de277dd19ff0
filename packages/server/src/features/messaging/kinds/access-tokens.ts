import type { Outbound } from '../../../kernel/net/index.ts'

export interface AccessToken {
  token: string
  expiresMs: number
}

/** Memory of all tokens of a node: more than 10,000 of the usual ones. */
const bytesMax = 32 * 2 ** 20
/** What an entry takes besides its token, about. */
const entryBytes = 400

/** The tokens of one project, by key. The least recently used one is the first. */
interface Share {
  tokens: Map<string, AccessToken>
  bytes: number
}

/**
 * Access tokens of destinations. If they take too much memory, the project that uses most of it loses its least
 * recently used ones: one with many destinations does not make the others request tokens for each message.
 */
export class AccessTokens {
  readonly #shares = new Map<string, Share>()
  readonly #bytesMax: number
  #bytes = 0

  constructor(max = bytesMax) {
    this.#bytesMax = max
  }

  /** Returns a token that is valid until some time after `time`, in milliseconds. */
  find(project: string, key: string, time: number): string | undefined {
    const share = this.#shares.get(project)
    const found = share?.tokens.get(key)
    if (!share || !found || found.expiresMs <= time) return undefined
    share.tokens.delete(key)
    share.tokens.set(key, found)
    return found.token
  }

  set(project: string, key: string, made: AccessToken): void {
    this.delete(project, key)
    const share = this.#shares.get(project) ?? { tokens: new Map(), bytes: 0 }
    this.#shares.set(project, share)
    share.tokens.set(key, made)
    share.bytes += sizeOf(made)
    this.#bytes += sizeOf(made)
    while (this.#bytes > this.#bytesMax) this.#evict()
  }

  delete(project: string, key: string): void {
    const share = this.#shares.get(project)
    const found = share?.tokens.get(key)
    if (!share || !found) return
    share.tokens.delete(key)
    share.bytes -= sizeOf(found)
    this.#bytes -= sizeOf(found)
    if (share.tokens.size === 0) this.#shares.delete(project)
  }

  /** Runs after a request for a token, so that its time does not depend on the number of projects in practice. */
  #evict(): void {
    let [largest, bytes] = ['', -1]
    for (const [project, share] of this.#shares) if (share.bytes > bytes) [largest, bytes] = [project, share.bytes]
    const [oldest] = this.#shares.get(largest)?.tokens.keys() ?? []
    if (oldest !== undefined) this.delete(largest, oldest)
  }
}

const sizeOf = ({ token }: AccessToken) => token.length + entryBytes

const tokens = new WeakMap<Outbound, AccessTokens>()

/** The tokens of a node, for as long as the client that requests them exists. */
export function accessTokensOf(outbound: Outbound): AccessTokens {
  const known = tokens.get(outbound) ?? new AccessTokens()
  tokens.set(outbound, known)
  return known
}

/** The answer has a token of a type that cannot be sent as `Bearer`. */
export class UnusableTokenType extends Error {
  override name = 'UnusableTokenType'
}

/**
 * Checks `token_type` of the answer of a token endpoint (RFC 6749, 5.1: in any case). Without one, it is Bearer: some
 * servers leave it out.
 *
 * @param secrets values that the answer may repeat
 * @throws UnusableTokenType for any other, such as `DPoP`: it would be refused, or sent without its proof
 */
export function checkTokenType(type: unknown, secrets: readonly string[]): void {
  if (type === undefined || type === null) return
  if (typeof type === 'string' && type.toLowerCase() === 'bearer') return
  const shown = typeof type === 'string' && /^[A-Za-z0-9_-]{1,20}$/.test(type) ? type : undefined
  const isEcho = shown !== undefined && secrets.some((secret) => secret.includes(shown) || shown.includes(secret))
  const named = shown === undefined || isEcho ? 'another type' : `the type ${shown}`
  throw new UnusableTokenType(`an access token of ${named}, and Mortise sends only Bearer tokens`)
}
