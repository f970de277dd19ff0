import { hash, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database, NewId, Tables } from '../../../kernel/db/index.ts'
import type { BuilderTokens } from './builder-token.ts'
import {
  deleteSession,
  deleteSessionOfUsedToken,
  findSession,
  insertSession,
  insertUsedToken,
  type SessionKind,
  type SessionOrigin,
  type SignInMethod,
  updateRefreshToken,
} from './session-store.ts'

/** How long an unused session lasts. Every refresh extends it. */
export const sessionDays = 30

const userAgentMax = 200

type Needed = { database: Database; newId: NewId; now: () => Date }

/** Returns 256 random bits in base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes such a secret for storage. It is random, so a plain hash is enough. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

export interface NewSession {
  builderId: string
  kind: SessionKind
  method?: SignInMethod
  origin?: SessionOrigin
  /** The person has just proved who they are, with a password, a factor or an identity provider. */
  isProven?: boolean
  /** Of an agent: whether it may change something. */
  mayChange?: boolean
  /** After 30 days when absent. */
  expireTime?: Date
}

/** Starts a session. Only the return value contains its token. */
export async function startSession(
  tx: Kysely<Tables>,
  { newId, now }: Pick<Needed, 'newId' | 'now'>,
  { builderId, kind, method, origin, isProven = false, mayChange, expireTime }: NewSession,
): Promise<{ sessionId: string; token: string; expireTime: Date }> {
  const at = now()
  const session = { id: newId(), token: newSecret(), expireTime: expireTime ?? expiry(at) }
  await insertSession(tx, {
    ...session,
    builderId,
    kind,
    tokenHash: hashSecret(session.token),
    method,
    origin: origin && { address: origin.address, userAgent: origin.userAgent?.slice(0, userAgentMax) },
    useTime: at,
    proofTime: isProven ? at : undefined,
    mayChange,
  })
  return { sessionId: session.id, token: session.token, expireTime: session.expireTime }
}

/**
 * Exchanges a refresh token for the next one. If the token was exchanged before, someone else has a copy: the session
 * ends (RFC 9700, 4.14.2). Returns undefined if the session has ended, or ends this way.
 */
export async function refreshSession(
  { database, now, builderTokens }: Needed & { builderTokens: BuilderTokens },
  refreshToken: string,
): Promise<{ sessionId: string; builderId: string; email: string; token: string; expireTime: Date } | undefined> {
  const from = hashSecret(refreshToken)
  const token = newSecret()
  const expireTime = expiry(now())
  return await database.system.transaction().execute(async (tx) => {
    const updated = await updateRefreshToken(tx, { from, to: hashSecret(token), now: now(), expireTime })
    const owner = updated && (await findSession(tx, updated.sessionId, now()))
    if (!owner) {
      const ended = await deleteSessionOfUsedToken(tx, from)
      if (ended !== undefined) builderTokens.forget(ended)
      return undefined
    }
    await insertUsedToken(tx, from, owner.sessionId)
    return { ...owner, token, expireTime }
  })
}

/** Starts a session of the pages and ends the browser's previous one. Returns the token for its cookie. */
export async function replaceBrowserSession(
  services: Needed & { builderTokens: BuilderTokens },
  before: { sessionId: string } | undefined,
  session: Omit<NewSession, 'kind'>,
): Promise<string> {
  if (before) await endSession(services, before.sessionId)
  return (await startSession(services.database.system, services, { ...session, kind: 'browser' })).token
}

/** Ends a session. Its tokens are refused on this node immediately, and on other nodes within seconds. */
export async function endSession(
  { database, builderTokens }: { database: Database; builderTokens: BuilderTokens },
  sessionId: string,
): Promise<void> {
  await deleteSession(database.system, sessionId)
  builderTokens.forget(sessionId)
}

function expiry(now: Date): Date {
  return new Date(now.getTime() + sessionDays * 86_400_000)
}
