import { hash } from 'node:crypto'
import type { Database, NewId } from '../../../kernel/db/index.ts'
import { isSameBytes } from '../../../kernel/encryption/index.ts'
import type { AuditActor } from '../../../kernel/http/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { isResourceOf } from './addresses.ts'
import {
  type BuilderSessionServices,
  endBuilderSession,
  extendBuilderSession,
  startBuilderSession,
} from './builder-session.ts'
import { keepAgentClient } from './client-store.ts'
import { assertClient } from './find-client.ts'
import { OAuthError } from './oauth-error.ts'
import {
  daySeconds,
  digestOf,
  idleDays,
  later,
  newAccessToken,
  newSecret,
  readRefreshToken,
  refreshTokenOf,
  sessionDays,
} from './secrets.ts'
import {
  deleteAgentSession,
  deleteReusedSession,
  hasAgentSession,
  insertAgentSession,
  refreshAgentSession,
} from './session-store.ts'
import { findUsedCode, type SignInRow, useCode } from './sign-in-store.ts'
import { isForBuilders, projectScope, readScope, type TokenIssuer, writeScope } from './token-issuer.ts'

/** Tokens of a session, as they leave once. */
export interface GrantedTokens {
  sessionId: string
  isNew: boolean
  accessToken: string
  refreshToken: string
  scope: string
  actor: AuditActor
}

export type GrantServices = BuilderSessionServices & { database: Database; newId: NewId; log: Logger }

/**
 * Answers a token request (RFC 6749, 4.1.3 and 6).
 *
 * @param address where the request came from
 * @throws OAuthError
 */
export async function grantTokens(
  services: GrantServices,
  issuer: TokenIssuer,
  fields: ReadonlyMap<string, string>,
  address: string,
): Promise<GrantedTokens> {
  const db = services.database.forProject(issuer.projectId)
  const grantType = fields.get('grant_type')
  if (grantType !== 'authorization_code' && grantType !== 'refresh_token')
    throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.')
  const clientId = await assertClient(db, fields.get('client_id'), services.now())
  if (!isResourceOf(issuer, fields.get('resource') ?? ''))
    throw new OAuthError('invalid_target', 'resource must be the address of this MCP server.')
  return grantType === 'authorization_code'
    ? await exchangeCode(services, issuer, { clientId, fields, address })
    : await refresh(services, issuer, clientId, fields)
}

/** Exchanges a code, once. A second exchange ends the session of the first (RFC 6749, 4.1.2). */
async function exchangeCode(
  services: GrantServices,
  issuer: TokenIssuer,
  { clientId, fields, address }: { clientId: string; fields: ReadonlyMap<string, string>; address: string },
): Promise<GrantedTokens> {
  const { newId, log } = services
  const db = services.database.forProject(issuer.projectId)
  const codeHash = digestOf(fields.get('code') ?? '')
  const sessionId = newId()
  const now = services.now()
  const accessToken = newAccessToken()
  const [family, secret] = [newSecret(), newSecret()]
  // A wrong verifier uses the code up as well: the transaction commits in any case.
  const outcome = await db.transaction(async (tx): Promise<SignInRow | 'refused' | { used: string } | 'unknown'> => {
    const signIn = await useCode(tx, { codeHash, sessionId, now, keepUntil: later(now, daySeconds) })
    if (!signIn) {
      const used = await findUsedCode(tx, codeHash)
      return used !== undefined && (await deleteAgentSession(tx, used)) ? { used } : 'unknown'
    }
    if (!isExchangeOf(signIn, clientId, fields) || !isDecided(signIn, issuer)) return 'refused'
    await insertAgentSession(tx, {
      id: sessionId,
      client_id: clientId,
      client_name: signIn.client_name,
      group_ref: signIn.group_ref,
      consumer_ref: signIn.consumer_ref,
      access_hash: digestOf(accessToken),
      familyHash: digestOf(family),
      refreshHash: digestOf(secret),
      now,
    })
    await keepAgentClient(tx, clientId, later(now, (sessionDays + 1) * daySeconds))
    return signIn
  })
  if (typeof outcome === 'object' && 'used' in outcome) {
    if (isForBuilders(issuer)) await endBuilderSession(services, outcome.used)
    log.warn({ projectId: db.projectId }, 'a code was used twice; its agent session has ended')
    throw codeRefused()
  }
  if (typeof outcome === 'string') throw codeRefused()
  const refreshToken = refreshTokenOf(family, secret)
  const tokens = { sessionId, isNew: true, accessToken, refreshToken }
  if (!isForBuilders(issuer))
    return { ...tokens, scope: projectScope, actor: consumerActor(sessionId, outcome.client_name) }
  // Tokens work from here on, and the client gets them only then.
  const expireTime = later(now, idleDays * daySeconds)
  const owner = await startBuilderSession(services, outcome, { sessionId, address, expireTime })
  if (!owner) {
    await deleteAgentSession(db, sessionId)
    throw codeRefused()
  }
  // A second exchange may have ended it meanwhile.
  if (!(await hasAgentSession(db, sessionId))) {
    await endBuilderSession(services, sessionId)
    throw codeRefused()
  }
  return { ...tokens, scope: scopeOf(outcome.may_change), actor: personActor(owner) }
}

/** Returns whether somebody has decided who signs in: a consumer, or a builder. */
function isDecided({ group_ref, consumer_ref, builder_session_id }: SignInRow, issuer: TokenIssuer): boolean {
  return isForBuilders(issuer) ? builder_session_id !== null : group_ref !== null && consumer_ref !== null
}

function codeRefused(): OAuthError {
  return new OAuthError('invalid_grant', 'The code is not valid for this client, address and verifier, or was used.')
}

const scopeOf = (mayChange: boolean) => (mayChange ? `${readScope} ${writeScope}` : readScope)

function consumerActor(id: string, name: string): AuditActor {
  return { kind: 'consumerToken', id, name }
}

function personActor({ builderId, email }: { builderId: string; email: string }): AuditActor {
  return { kind: 'person', id: builderId, name: email }
}

/** Returns whether the client of a code sent the verifier of its challenge (RFC 7636, 4.6). */
function isExchangeOf(signIn: SignInRow, clientId: string, fields: ReadonlyMap<string, string>): boolean {
  const verifier = fields.get('code_verifier') ?? ''
  const redirectUri = fields.get('redirect_uri')
  const isVerified =
    /^[\w.~-]{43,128}$/.test(verifier) &&
    isSameBytes(hash('sha256', verifier, 'buffer'), Buffer.from(signIn.code_challenge, 'base64url'))
  return isVerified && signIn.client_id === clientId && (redirectUri ?? signIn.redirect_uri) === signIn.redirect_uri
}

/** Exchanges a refresh token for new tokens. One that was used before ends the session (RFC 9700, 4.14.2). */
async function refresh(
  services: GrantServices,
  issuer: TokenIssuer,
  clientId: string,
  fields: ReadonlyMap<string, string>,
): Promise<GrantedTokens> {
  const { now, log } = services
  const db = services.database.forProject(issuer.projectId)
  const token = readRefreshToken(fields.get('refresh_token') ?? '')
  if (!token) throw refreshRefused()
  const accessToken = newAccessToken()
  const secret = newSecret()
  const next = { accessHash: digestOf(accessToken), refreshHash: digestOf(secret) }
  const row = await refreshAgentSession(db, { ...token, clientId, next, now: now() })
  if (!row) {
    const sessionId = await deleteReusedSession(db, token)
    if (sessionId !== undefined) {
      if (isForBuilders(issuer)) await endBuilderSession(services, sessionId)
      log.warn({ projectId: db.projectId, sessionId }, 'a refresh token was used twice; its agent session has ended')
    }
    throw refreshRefused()
  }
  const refreshToken = refreshTokenOf(token.family, secret)
  const tokens = { sessionId: row.id, isNew: false, accessToken, refreshToken }
  if (!isForBuilders(issuer)) return { ...tokens, scope: projectScope, actor: consumerActor(row.id, row.client_name) }
  const owner = await extendBuilderSession(services, row.id, row.expire_time)
  if (!owner) {
    await deleteAgentSession(db, row.id)
    throw refreshRefused()
  }
  return { ...tokens, scope: scopeOf(owner.mayChange), actor: personActor(owner) }
}

function refreshRefused(): OAuthError {
  return new OAuthError('invalid_grant', 'The refresh token is not valid, was used before, or its session has ended.')
}
