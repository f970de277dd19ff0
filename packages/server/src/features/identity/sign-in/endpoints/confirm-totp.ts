import { Type } from 'typebox'
import type { NewId } from '../../../../kernel/db/index.ts'
import { endpoint, reply } from '../../../../kernel/http/index.ts'
import type { BuilderTokens } from '../builder-token.ts'
import { FactorName, NewFactor, newFactorResource, SubmittedCode } from '../factors/model.ts'
import { confirmTotp as confirm } from '../factors/set-up.ts'
import type { FactorServices } from '../factors/use-factor.ts'
import { FactorNotBegun, FactorRefused, ProofRequired, TooManyFactors } from '../problems.ts'
import { requireProof } from '../proof.ts'

export const confirmTotp = endpoint({
  id: 'confirmTotp',
  method: 'POST',
  path: '/my-info/factors:confirmTotp',
  access: 'builder',
  beforeSecondFactor: true,
  summary: 'Confirm an authenticator app with its code. From then on, the password alone does not sign you in.',
  description: 'The code that you send here does not work again for a sign-in.',
  tag: 'Sign-in',
  extension: true,
  audit: { verb: 'create', resource: 'factor' },
  body: Type.Object({ code: SubmittedCode('The six digits that the app shows.'), name: FactorName }),
  reply: { 201: NewFactor },
  problems: [ProofRequired, FactorNotBegun, FactorRefused, TooManyFactors],
  run: async ({ caller, body, note }, services: FactorServices & { newId: NewId; builderTokens: BuilderTokens }) => {
    await requireProof(services, caller)
    const added = await confirm(services, caller, body)
    services.builderTokens.forget(caller.sessionId)
    note({ resourceId: added.factor.id })
    return reply(201, newFactorResource(added))
  },
})
