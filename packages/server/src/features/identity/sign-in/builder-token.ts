import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { type Database, isId } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { entriesAtMost } from '../../../kernel/entries-max.ts'
import { type BuilderCaller, fingerprintOf, type Identity } from '../../../kernel/http/index.ts'
import { type ChangedCredential, credentialsTopic, NodeCache, type PubSub } from '../../../kernel/pubsub/index.ts'
import { noteUse } from './note-use.ts'
import { findSession, type SessionOwner } from './session-store.ts'
import { createSigningKeys } from './signing-keys.ts'

/** Signs and verifies the access tokens of signed-in builders. */
export interface BuilderTokens {
  issue(session: {
    sessionId: string
    builderId: string
    email: string
  }): Promise<{ accessToken: string; expiresAt: Date }>
  /** Returns the identity of a token; undefined if the token is not valid, has expired, or its session has ended. */
  find: {
    (token: string): Promise<Identity | undefined>
    /** Reads the session again regardless of the cache. */
    again(token: string): Promise<Identity | undefined>
  }
  /** Returns the JWK Set that verifies the tokens. */
  publicKeys(): Promise<{ keys: object[] }>
  /** Replaces the signing key if it is too old; with `always`, replaces it in any case. */
  rotate(options?: { always: boolean }): Promise<void>
  /** Drops an ended session from this node's cache: its tokens are refused here immediately. */
  forget(sessionId: string): void
}

/** Lifetime of a token; contract 7.2 allows an hour. Every request also checks the session. */
const tokenMs = 30 * 60_000
const skewSeconds = 30
const tokenCharsMax = 8_192
/** How long a session is cached. A token of an ended session works for at most this long. */
const cacheMs = 5_000
const cacheEntries = 10_000

/**
 * Issues and verifies the tokens of builders (contract 7.2): JWTs (RFC 7519) signed with RS256. A token is valid only
 * while its session is.
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
    async load(sessionId) {
      const owner = await findSession(database.system, sessionId, now())
      if (owner) await noteUse({ database, now }, owner)
      return owner
    },
  })

  // Verifying a signature takes longer than the rest of a small request, and clients repeat the same token.
  const seen = new LRUCache<string, JWTPayload>({
    ...entriesAtMost(cacheEntries),
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
    return { caller: callerOf(owner), expiresAt }
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

function callerOf({ sessionId, builderId, email, lacksSecondFactor, mayChange }: SessionOwner): BuilderCaller {
  return {
    kind: 'builder',
    builderId,
    sessionId,
    email,
    ...(lacksSecondFactor && { lacksSecondFactor: true }),
    ...(!mayChange && { onlyReads: true }),
  }
}

/** Refuses other tokens before anything is looked up, because consumer tokens and garbage arrive here, too. */
function mayBeIssuedBy(publicUrl: string, token: string): boolean {
  try {
    return decodeProtectedHeader(token).alg === 'RS256' && decodeJwt(token).iss === publicUrl
  } catch {
    return false
  }
}
