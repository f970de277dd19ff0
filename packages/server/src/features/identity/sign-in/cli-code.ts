import { hash } from 'node:crypto'
import type { Database, NewId } from '../../../kernel/db/index.ts'
import { isSameBytes } from '../../../kernel/encryption/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { findBuilder } from '../orgs/index.ts'
import type { BuilderTokens } from './builder-token.ts'
import { claimCode, insertCode } from './once-store.ts'
import { deleteSessionOfUsedToken, insertUsedToken, type SessionOrigin, type SignInMethod } from './session-store.ts'
import { hashSecret, newSecret, startSession } from './sessions.ts'

const codeSeconds = 60

/** Code challenge of RFC 7636 with S256: the SHA-256 of the verifier in base64url. */
export const challengePattern = '^[A-Za-z0-9_-]{43}$'
export const verifierPattern = '^[A-Za-z0-9._~-]{43,128}$'

/** Creates the code that a browser passes to the command line that has the verifier of the challenge. */
export async function makeCode(
  { database, now }: { database: Database; now: () => Date },
  { builderId, challenge, method }: { builderId: string; challenge: string; method?: SignInMethod | null },
): Promise<string> {
  const code = newSecret()
  const expireTime = new Date(now().getTime() + codeSeconds * 1000)
  await insertCode(database.system, {
    codeHash: hashSecret(code),
    builderId,
    challenge,
    method: method ?? null,
    expireTime,
  })
  return code
}

export interface ExchangeServices {
  database: Database
  newId: NewId
  now: () => Date
  builderTokens: BuilderTokens
  log: Logger
}

/**
 * Exchanges a code for a session. The first attempt uses up the code, even with a wrong verifier. A second one means
 * that someone else has a copy: it ends the session that the first one started (RFC 6749, 4.1.2).
 */
export async function exchangeCode(
  { database, newId, now, builderTokens, log }: ExchangeServices,
  { code, verifier, origin }: { code: string; verifier: string; origin: SessionOrigin },
) {
  const codeHash = hashSecret(code)
  const outcome = await database.system.transaction().execute(async (tx) => {
    // Of two requests with the same code, the second waits here for the first, and then finds its session.
    const claimed = await claimCode(tx, codeHash)
    if (!claimed) {
      const ended = await deleteSessionOfUsedToken(tx, codeHash)
      return ended === undefined ? undefined : { ended }
    }
    if (claimed.expire_time <= now()) return undefined
    const challenge = hash('sha256', verifier, 'base64url')
    if (!isSameBytes(hashSecret(challenge), hashSecret(claimed.challenge))) return undefined
    const builder = await findBuilder(tx, claimed.builder_id)
    if (!builder) return undefined
    const method = claimed.method ?? undefined
    const session = await startSession(tx, { newId, now }, { builderId: builder.id, kind: 'api', method, origin })
    await insertUsedToken(tx, codeHash, session.sessionId)
    return { ...session, builderId: builder.id, email: builder.email }
  })
  if (!outcome || !('ended' in outcome)) return outcome
  builderTokens.forget(outcome.ended)
  log.warn({ sessionId: outcome.ended }, 'the code of a sign-in was used twice; its session has ended')
  return undefined
}
