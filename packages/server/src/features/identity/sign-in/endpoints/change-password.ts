import { Type } from 'typebox'
import type { Config } from '../../../../config.ts'
import type { Database } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { Empty, endpoint, InvalidInput, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import { findBuilder, lockBuilder } from '../../orgs/index.ts'
import type { BuilderTokens } from '../builder-token.ts'
import { NewPassword, SubmittedPassword } from '../model.ts'
import { isSamePassword, type Passwords, passwordFault } from '../password.ts'
import { SessionEnded, TooManyAttempts } from '../problems.ts'
import { replacePassword } from '../replace-password.ts'
import { beginAttempt } from '../throttle.ts'

export const changePassword = endpoint({
  id: 'changePassword',
  method: 'POST',
  path: '/my-info/password',
  access: 'builder',
  summary: 'Change your own password, and end your other sessions.',
  tag: 'Sign-in',
  audit: { verb: 'change', resource: 'password' },
  extension: true,
  body: Type.Object({
    currentPassword: SubmittedPassword,
    newPassword: NewPassword,
  }),
  reply: { 204: Empty },
  problems: [TooManyAttempts, SessionEnded],
  run: async (
    { caller, body: { currentPassword, newPassword }, address },
    services: {
      config: Config
      database: Database
      keyring: Keyring
      now: () => Date
      builderTokens: BuilderTokens
      passwords: Passwords
      queue: JobQueue
    },
  ) => {
    const { system } = services.database
    const builder = await findBuilder(system, caller.builderId)
    if (!builder) throw new SessionEnded()
    const fault = await passwordFault(newPassword, [builder.email, builder.full_name ?? ''])
    if (fault !== undefined) throw new InvalidInput({ issues: [{ in: 'body', name: 'newPassword', detail: fault }] })
    const attempt = await beginAttempt(services, builder.email, { address, sessionId: caller.sessionId })
    if (!(await services.passwords.verify(builder.password, currentPassword)))
      throw new InvalidInput({
        issues: [
          {
            in: 'body',
            name: 'currentPassword',
            detail: 'currentPassword is not the password of this account.',
            remedy: builder.password === null ? 'This account signs in by single sign-on alone.' : 'Check it.',
          },
        ],
      })
    await attempt.succeeded()
    if (isSamePassword(newPassword, currentPassword))
      throw new InvalidInput({
        issues: [{ in: 'body', name: 'newPassword', detail: 'newPassword is the password that this account has now.' }],
      })
    const password = await services.passwords.hash(newPassword)
    const ended = await system.transaction().execute(async (tx) => {
      await lockBuilder(tx, builder.id)
      return await replacePassword(tx, services, builder.id, { password, keptSessionId: caller.sessionId })
    })
    for (const sessionId of ended) services.builderTokens.forget(sessionId)
    return reply(204, null)
  },
})
