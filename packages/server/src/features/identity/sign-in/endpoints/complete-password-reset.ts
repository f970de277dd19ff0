import { Type } from 'typebox'
import { Empty, endpoint, reply } from '../../../../kernel/http/index.ts'
import type { Services } from '../../../../services.ts'
import { GivenToken, NewPassword } from '../model.ts'
import { completeReset } from '../password-reset.ts'
import { ResetLinkRefused, TooManyAttempts } from '../problems.ts'

export const completePasswordReset = endpoint({
  id: 'completePasswordReset',
  method: 'POST',
  path: '/password-resets:complete',
  access: 'public',
  summary: 'Set a new password with the token of a link, and end all sessions of the person.',
  description: 'Does not sign you in. A refused password does not use up the link.',
  tag: 'Sign-in',
  extension: true,
  body: Type.Object({
    token: GivenToken('The token of the link: what follows `token=`.'),
    newPassword: NewPassword,
  }),
  reply: { 204: Empty },
  problems: [ResetLinkRefused, TooManyAttempts],
  run: async (
    { body, address },
    services: Pick<
      Services,
      'builderTokens' | 'config' | 'database' | 'keyring' | 'log' | 'now' | 'passwords' | 'queue'
    >,
  ) => {
    await completeReset(services, { ...body, address })
    return reply(204, null)
  },
})
