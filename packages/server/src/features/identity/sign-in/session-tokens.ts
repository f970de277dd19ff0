import type { BuilderTokens } from './builder-token.ts'
import type { SessionTokens } from './model.ts'

/** The answer of whatever begins or refreshes a session of a program. */
export async function sessionTokens(
  { builderTokens }: { builderTokens: BuilderTokens },
  session: { sessionId: string; builderId: string; email: string; token: string; expireTime: Date },
): Promise<SessionTokens> {
  const { accessToken, expiresAt } = await builderTokens.issue(session)
  return {
    accessToken,
    expiresAt,
    refreshToken: session.token,
    sessionExpiresAt: session.expireTime,
    builderId: session.builderId,
  }
}
