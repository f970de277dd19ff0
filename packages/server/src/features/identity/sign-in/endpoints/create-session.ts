import { Type } from 'typebox'
import type { Config } from '../../../../config.ts'
import type { Database, NewId } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import type { BuilderTokens } from '../builder-token.ts'
import { SessionTokens, SubmittedPassword } from '../model.ts'
import type { Passwords } from '../password.ts'
import { SignInRefused, TooManyAttempts } from '../problems.ts'
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
    'An unknown email and a wrong password get the same response. After ten failures within 15 minutes, further attempts have to wait.',
  tag: 'Sign-in',
  extension: true,
  audit: { verb: 'signIn', resource: 'session' },
  body: Type.Object({
    email: Type.String({ minLength: 1, maxLength: 320, description: 'The email of the builder, in any case.' }),
    password: SubmittedPassword,
  }),
  reply: { 200: SessionTokens },
  problems: [SignInRefused, TooManyAttempts],
  run: async (
    { body: { email, password }, address, note },
    services: {
      config: Config
      database: Database
      keyring: Keyring
      log: Logger
      newId: NewId
      now: () => Date
      builderTokens: BuilderTokens
      passwords: Passwords
      queue: JobQueue
    },
  ) => {
    const builder = await signInWithPassword(services, { email, password, address, note })
    const session = await startSession(services.database.system, services, { builderId: builder.id, kind: 'api' })
    const tokens = await sessionTokens(services, { ...session, builderId: builder.id, email: builder.email })
    return reply(200, tokens)
  },
})
