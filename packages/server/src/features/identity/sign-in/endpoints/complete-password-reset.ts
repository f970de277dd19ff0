import { Type } from 'typebox'
import type { Config } from '../../../../config.ts'
import type { Database } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { Empty, endpoint, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import type { BuilderTokens } from '../builder-token.ts'
import { NewPassword, SubmittedToken } from '../model.ts'
import type { Passwords } from '../password.ts'
import { completeReset } from '../password-reset.ts'
import { ResetLinkRefused, TooManyAttempts } from '../problems.ts'
import { signedIn } from '../signed-in.ts'

export const completePasswordReset = endpoint({
  id: 'completePasswordReset',
  method: 'POST',
  path: '/password-resets:complete',
  access: 'public',
  summary: 'Set a new password with the token of a link, and end all sessions of the person.',
  description: 'Does not sign you in. A refused password does not use up the link.',
  tag: 'Sign-in',
  extension: true,
  audit: { verb: 'reset', resource: 'password' },
  body: Type.Object({
    token: SubmittedToken('The token of the link: what follows `token=`.'),
    newPassword: NewPassword,
  }),
  reply: { 204: Empty },
  problems: [ResetLinkRefused, TooManyAttempts],
  run: async (
    { body, address, note },
    services: {
      builderTokens: BuilderTokens
      config: Config
      database: Database
      keyring: Keyring
      log: Logger
      now: () => Date
      passwords: Passwords
      queue: JobQueue
    },
  ) => {
    note(signedIn(await completeReset(services, { ...body, address })))
    return reply(204, null)
  },
})
