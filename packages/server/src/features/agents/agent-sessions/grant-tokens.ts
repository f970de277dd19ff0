import { hash } from 'node:crypto'
import type { Database, NewId, ProjectDb } from '../../../kernel/db/index.ts'
import { isSameBytes } from '../../../kernel/encryption/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { isMcpUrl } from './addresses.ts'
import { keepAgentClient } from './client-store.ts'
import { assertClient } from './find-client.ts'
import { OAuthError } from './oauth-error.ts'
import {
  daySeconds,
  digestOf,
  later,
  newAccessToken,
  newSecret,
  readRefreshToken,
  refreshTokenOf,
  sessionDays,
} from './secrets.ts'
import { deleteAgentSession, deleteReusedSession, insertAgentSession, refreshAgentSession } from './session-store.ts'
import type { SignInProject } from './sign-in-project.ts'
import { findUsedCode, type SignInRow, useCode } from './sign-in-store.ts'

/** Tokens of a session, as they leave once. */
export interface GrantedTokens {
  sessionId: string
  clientName: string
  isNew: boolean
  accessToken: string
  refreshToken: string
}

type GrantServices = { database: Database; newId: NewId; now: () => Date; publicUrl: string; log: Logger }

/**
 * Answers a token request (RFC 6749, 4.1.3 and 6).
 *
 * @throws OAuthError
 */
export async function grantTokens(
  services: GrantServices,
  project: SignInProject,
  fields: ReadonlyMap<string, string>,
): Promise<GrantedTokens> {
  const db = services.database.forProject(project.id)
  const grantType = fields.get('grant_type')
  if (grantType !== 'authorization_code' && grantType !== 'refresh_token')
    throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.')
  const clientId = await assertClient(db, fields.get('client_id'), services.now())
  if (!isMcpUrl(services.publicUrl, project, fields.get('resource') ?? ''))
    throw new OAuthError('invalid_target', 'resource must be the address of the MCP server of this project.')
  return grantType === 'authorization_code'
    ? await exchangeCode(db, services, clientId, fields)
    : await refresh(db, services, clientId, fields)
}

/** Exchanges a code, once. A second exchange ends the session of the first (RFC 6749, 4.1.2). */
async function exchangeCode(
  db: ProjectDb,
  { newId, now: clock, log }: GrantServices,
  clientId: string,
  fields: ReadonlyMap<string, string>,
): Promise<GrantedTokens> {
  const codeHash = digestOf(fields.get('code') ?? '')
  const sessionId = newId()
  const now = clock()
  const accessToken = newAccessToken()
  const [family, secret] = [newSecret(), newSecret()]
  // A wrong verifier uses the code up as well: the transaction commits in any case.
  const outcome = await db.transaction(async (tx): Promise<SignInRow | 'refused' | 'used' | 'unknown'> => {
    const signIn = await useCode(tx, { codeHash, sessionId, now, keepUntil: later(now, daySeconds) })
    if (!signIn) {
      const used = await findUsedCode(tx, codeHash)
      return used !== undefined && (await deleteAgentSession(tx, used)) ? 'used' : 'unknown'
    }
    const { group_ref: groupRef, consumer_ref: consumerRef } = signIn
    if (!isExchangeOf(signIn, clientId, fields) || groupRef === null || consumerRef === null) return 'refused'
    await insertAgentSession(tx, {
      id: sessionId,
      client_id: clientId,
      client_name: signIn.client_name,
      group_ref: groupRef,
      consumer_ref: consumerRef,
      access_hash: digestOf(accessToken),
      familyHash: digestOf(family),
      refreshHash: digestOf(secret),
      now,
    })
    await keepAgentClient(tx, clientId, later(now, (sessionDays + 1) * daySeconds))
    return signIn
  })
  if (outcome === 'used') log.warn({ projectId: db.projectId }, 'a code was used twice; its agent session has ended')
  if (typeof outcome === 'string')
    throw new OAuthError('invalid_grant', 'The code is not valid for this client, address and verifier, or was used.')
  const refreshToken = refreshTokenOf(family, secret)
  return { sessionId, clientName: outcome.client_name, isNew: true, accessToken, refreshToken }
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
  db: ProjectDb,
  { now, log }: GrantServices,
  clientId: string,
  fields: ReadonlyMap<string, string>,
): Promise<GrantedTokens> {
  const token = readRefreshToken(fields.get('refresh_token') ?? '')
  if (!token) throw refreshRefused()
  const accessToken = newAccessToken()
  const secret = newSecret()
  const next = { accessHash: digestOf(accessToken), refreshHash: digestOf(secret) }
  const row = await refreshAgentSession(db, { ...token, clientId, next, now: now() })
  if (!row) {
    const sessionId = await deleteReusedSession(db, token)
    if (sessionId !== undefined)
      log.warn({ projectId: db.projectId, sessionId }, 'a refresh token was used twice; its agent session has ended')
    throw refreshRefused()
  }
  const refreshToken = refreshTokenOf(token.family, secret)
  return { sessionId: row.id, clientName: row.client_name, isNew: false, accessToken, refreshToken }
}

function refreshRefused(): OAuthError {
  return new OAuthError('invalid_grant', 'The refresh token is not valid, was used before, or its session has ended.')
}
