import { createClient, MortiseProblem, type Output } from '@mortise/client'
import { NotSignedIn } from './not-signed-in.ts'
import { renewSession, type Session } from './session-file.ts'

type Tokens = Output<'createSession'>

const renewBeforeMs = 60_000
const isFresh = (session: Session) => Date.parse(session.accessTokenExpiresAt) - Date.now() > renewBeforeMs

/**
 * Returns a function that returns the access token of a session, renewed if it expires within a minute. A refresh token
 * works once, so renewal takes the lock of the session file, and checks first whether another command has just renewed.
 */
export function freshToken(start: Session, env: Record<string, string | undefined>): () => Promise<string> {
  let session = start
  let renewal: Promise<Session> | undefined
  return async () => {
    if (!isFresh(session)) {
      renewal ??= renew(session.url, env).finally(() => {
        renewal = undefined
      })
      session = await renewal
    }
    return session.accessToken
  }
}

async function renew(url: string, env: Record<string, string | undefined>): Promise<Session> {
  const renewed = await renewSession(env, url, async (kept) => {
    if (isFresh(kept)) return kept
    // Not sent twice: the service cannot tell a second attempt from a thief.
    const mortise = createClient({ baseUrl: url, retries: 0, timeoutMs: 15_000 })
    try {
      const tokens = await mortise.refreshSession({ body: { refreshToken: kept.refreshToken } })
      return { ...kept, ...keptTokens(tokens) }
    } catch (error) {
      if (error instanceof MortiseProblem && error.status === 401) return undefined
      throw error
    }
  })
  if (!renewed)
    throw new NotSignedIn(`Your sign-in at ${url} has ended. Sign in again with \`mortise login --url ${url}\`.`)
  return renewed
}

/** What is kept of an answer with tokens. */
export function keptTokens({ accessToken, expiresAt, refreshToken }: Tokens) {
  return { accessToken, refreshToken, accessTokenExpiresAt: endOf(accessToken) ?? String(expiresAt) }
}

/**
 * By the clock of this computer, which need not be that of the service: the lifetime that the token tells, from now on.
 */
function endOf(accessToken: string): string | undefined {
  try {
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())
    const seconds = claims.exp - claims.iat
    return Number.isFinite(seconds) ? new Date(Date.now() + seconds * 1000).toISOString() : undefined
  } catch {
    return undefined
  }
}
