import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { type Database, isId } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { fingerprintOf, type Identity } from '../../../kernel/http/index.ts'
import { type ChangedCredential, credentialsTopic, NodeCache, type PubSub } from '../../../kernel/pubsub/index.ts'
import { findSession, type SessionOwner } from './session-store.ts'
import { createSigningKeys } from './signing-keys.ts'

/** Signs the tokens of people who are signed in, and knows whom they belong to. */
export interface BuilderTokens {
  issue(session: {
    sessionId: string
    builderId: string
    email: string
  }): Promise<{ accessToken: string; expiresAt: Date }>
  /** Undefined for what was not issued here, has expired, or whose session has ended. */
  find: {
    (token: string): Promise<Identity | undefined>
    /** Looks the session up whatever is remembered. */
    again(token: string): Promise<Identity | undefined>
  }
  /** The JWK Set that tokens are verified with. */
  publicKeys(): Promise<{ keys: object[] }>
  /** Replaces a signing key that is too old, or any with `always`. */
  rotate(options?: { always: boolean }): Promise<void>
  /** A session has ended: its tokens are refused here at once. */
  forget(sessionId: string): void
}

/** How long a token is good; contract 7.2 allows an hour. The session behind it is looked at anyway. */
const tokenMs = 30 * 60_000
const skewSeconds = 30
const tokenCharsMax = 8_192
/** How long a session is kept: a token of one that was ended works for at most this long. */
const cacheMs = 5_000
const cacheEntries = 10_000

/**
 * Issues and verifies the tokens of builders (contract 7.2): JWTs (RFC 7519) signed with RS256. A token is as good as
 * its session: where that has ended, so has the token.
 */
export function createBuilderTokens(options: {
  database: Pick<Database, 'system'>
  keyring: Keyring
  pubsub: Pick<PubSub, 'subscribe' | 'notifyLocal'>
  publicUrl: string
  now: () => Date
}): BuilderTokens {
  const { database, pubsub, publicUrl, now } = options
  const keys = createSigningKeys(options)
  const sessions = new NodeCache<SessionOwner, undefined, ChangedCredential>({
    pubsub,
    now,
    entriesMax: cacheEntries,
    maxAgeMs: cacheMs,
    keepsMissing: true,
    topic: credentialsTopic,
    invalidates: ({ table, id }) => (table === 'sessions' ? (id ?? (() => true)) : undefined),
    load: (sessionId) => findSession(database.system, sessionId, now()),
  })

  // A signature takes longer to verify than the rest of a small request. The same token comes again and again.
  const seen = new LRUCache<string, JWTPayload>({
    max: cacheEntries,
    ttl: cacheMs,
    ttlResolution: 0,
    perf: { now: () => now().getTime() },
  })

  return {
    async issue({ sessionId, builderId, email }) {
      const { kid, key } = await keys.signer()
      const issuedAt = Math.floor(now().getTime() / 1000)
      const expiresAt = issuedAt + tokenMs / 1000
      const accessToken = await new SignJWT({ email, sid: sessionId })
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
        .setSubject(builderId)
        .setIssuer(publicUrl)
        .setAudience(publicUrl)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(key)
      return { accessToken, expiresAt: new Date(expiresAt * 1000) }
    },
    find: Object.assign((token: string, fingerprint?: string) => identify(token, fingerprint, 'get'), {
      again: (token: string, fingerprint?: string) => identify(token, fingerprint, 'reload'),
    }),
    publicKeys: async () => ({ keys: await keys.publicKeys() }),
    rotate: keys.rotate,
    forget: (sessionId) => pubsub.notifyLocal(credentialsTopic, { table: 'sessions', id: sessionId }),
  }

  async function identify(
    token: string,
    fingerprint = fingerprintOf(token),
    load: 'get' | 'reload',
  ): Promise<Identity | undefined> {
    const claims = await verified(token, fingerprint)
    const sessionId = claims?.['sid']
    if (typeof sessionId !== 'string' || !isId(sessionId)) return undefined
    const owner = await sessions[load](sessionId, undefined)
    if (!owner || owner.builderId !== claims?.sub) return undefined
    const expiresAt = new Date((claims.exp ?? 0) * 1000)
    return { caller: { kind: 'builder', builderId: owner.builderId, sessionId, email: owner.email }, expiresAt }
  }

  async function verified(token: string, fingerprint: string): Promise<JWTPayload | undefined> {
    if (token.length > tokenCharsMax) return undefined
    const known = seen.get(fingerprint)
    if (known) return (known.exp ?? 0) + skewSeconds > now().getTime() / 1000 ? known : undefined
    if (!mayBeIssuedBy(publicUrl, token)) return undefined
    try {
      const { payload } = await jwtVerify(
        token,
        async ({ kid }) => {
          const key = kid === undefined ? undefined : await keys.verifier(kid)
          if (!key) throw new errors.JWKSNoMatchingKey()
          return key
        },
        {
          algorithms: ['RS256'],
          issuer: publicUrl,
          audience: publicUrl,
          requiredClaims: ['sub', 'sid', 'email', 'iat', 'exp'],
          clockTolerance: skewSeconds,
          currentDate: now(),
        },
      )
      seen.set(fingerprint, payload)
      return payload
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }
}

/** Rules out foreign tokens before anything is looked up: consumer tokens and garbage arrive here too. */
function mayBeIssuedBy(publicUrl: string, token: string): boolean {
  try {
    return decodeProtectedHeader(token).alg === 'RS256' && decodeJwt(token).iss === publicUrl
  } catch {
    return false
  }
}
