import { Type } from 'typebox'
import { endpoint, InvalidInput, reply, Timestamp } from '../../../../kernel/http/index.ts'
import { SubmittedCode } from '../factors/model.ts'
import type { FactorServices } from '../factors/use-factor.ts'
import { SubmittedPassword } from '../model.ts'
import type { Passwords } from '../password.ts'
import { ProofRefused, SessionEnded, TooManyAttempts } from '../problems.ts'
import { prove } from '../proof.ts'

export const createMyProof = endpoint({
  id: 'createMyProof',
  method: 'POST',
  path: '/my-info/proof',
  access: 'builder',
  beforeSecondFactor: true,
  summary: 'Prove that it is you, to change factors within the next ten minutes of this session.',
  description: 'Attempts are limited like those to sign in.',
  tag: 'Sign-in',
  extension: true,
  body: Type.Object({
    password: Type.Optional(SubmittedPassword),
    code: Type.Optional(SubmittedCode('A code of your authenticator app, or a recovery code.')),
  }),
  reply: {
    200: Type.Object({
      validUntil: Type.Unsafe<Date | string>({ ...Timestamp, description: 'Until when you can change factors.' }),
    }),
  },
  problems: [ProofRefused, SessionEnded, TooManyAttempts],
  run: async ({ caller, body, address, note }, services: FactorServices & { passwords: Passwords }) => {
    if ((body.password === undefined) === (body.code === undefined))
      throw new InvalidInput({
        issues: [{ in: 'body', name: 'body', detail: 'Send either password or code.', remedy: 'Send one of the two.' }],
      })
    note({ resourceId: caller.sessionId })
    try {
      return reply(200, { validUntil: await prove(services, caller, body, address) })
    } catch (error) {
      if (error instanceof ProofRefused) note({ outcome: 'failure' })
      throw error
    }
  },
})
