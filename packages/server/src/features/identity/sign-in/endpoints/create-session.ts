import { Type } from 'typebox'
import type { Config } from '../../../../config.ts'
import type { Database, NewId } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import type { BuilderTokens } from '../builder-token.ts'
import { SubmittedCode } from '../factors/model.ts'
import { confirmFactor } from '../factors/use-factor.ts'
import { SessionTokens, SubmittedPassword } from '../model.ts'
import type { Passwords } from '../password.ts'
import { SecondFactorRefused, SecondFactorRequired, SignInRefused, TooManyAttempts } from '../problems.ts'
import { sessionTokens } from '../session-tokens.ts'
import { startSession } from '../sessions.ts'
import { signInWithPassword } from '../sign-in-with-password.ts'

export const createSession = endpoint({
  id: 'createSession',
  method: 'POST',
  path: '/sessions',
  access: 'public',
  summary: 'Sign a builder in with email and password.',
  description:
    'An unknown email and a wrong password get the same response. After ten failures within 15 minutes, further attempts have to wait. For an account with a second factor, the response is 401 `second-factor-required`: send the request again with `code`.',
  tag: 'Sign-in',
  extension: true,
  audit: { verb: 'signIn', resource: 'session' },
  body: Type.Object({
    email: Type.String({ minLength: 1, maxLength: 320, description: 'The email of the builder, in any case.' }),
    password: SubmittedPassword,
    code: Type.Optional(
      SubmittedCode(
        'A code of the authenticator app, or a recovery code. Ignored for an account without a second factor.',
      ),
    ),
  }),
  reply: { 200: SessionTokens },
  problems: [SignInRefused, SecondFactorRequired, SecondFactorRefused, TooManyAttempts],
  run: async (
    { body: { email, password, code }, address, headers, note },
    services: {
      config: Config
      database: Database
      keyring: Keyring
      log: Logger
      newId: NewId
      now: () => Date
      builderTokens: BuilderTokens
      passwords: Passwords
      publicUrl: string
      queue: JobQueue
    },
  ) => {
    const { builder, factors } = await signInWithPassword(services, { email, password, address, note })
    if (factors.length > 0) {
      if (code === undefined) throw new SecondFactorRequired({ context: { factors } })
      note({ outcome: 'failure' })
      await confirmFactor(services, builder, { code }, { address })
      note({ outcome: 'success' })
    }
    const session = await startSession(services.database.system, services, {
      builderId: builder.id,
      kind: 'api',
      method: factors.length > 0 ? 'second-factor' : 'password',
      origin: { address, userAgent: headers['user-agent']?.toString() },
      isProven: true,
    })
    const tokens = await sessionTokens(services, { ...session, builderId: builder.id, email: builder.email })
    return reply(200, tokens)
  },
})
