import { Type } from 'typebox'
import type { NewId } from '../../../../kernel/db/index.ts'
import { endpoint, reply } from '../../../../kernel/http/index.ts'
import type { BuilderTokens } from '../builder-token.ts'
import { FactorName, NewFactor, newFactorResource } from '../factors/model.ts'
import { confirmPasskey as confirm } from '../factors/set-up.ts'
import type { FactorServices } from '../factors/use-factor.ts'
import { FactorNotBegun, FactorRefused, PasskeysUnavailable, ProofRequired, TooManyFactors } from '../problems.ts'
import { requireProof } from '../proof.ts'

const Bytes = (description: string, maxLength = 2_000) => Type.String({ minLength: 1, maxLength, description })

export const confirmPasskey = endpoint({
  id: 'confirmPasskey',
  method: 'POST',
  path: '/my-info/factors:confirmPasskey',
  access: 'builder',
  beforeSecondFactor: true,
  summary: 'Confirm a passkey. From then on, the password alone does not sign you in.',
  tag: 'Sign-in',
  extension: true,
  audit: { verb: 'create', resource: 'factor' },
  body: Type.Object({
    credential: Type.Object(
      {
        id: Bytes('Id of the credential in base64url.'),
        rawId: Bytes('The same.'),
        type: Type.Literal('public-key', { description: 'The only type.' }),
        response: Type.Object(
          {
            clientDataJSON: Bytes('What the browser saw, in base64url.', 10_000),
            attestationObject: Bytes('The public key, in base64url.', 50_000),
            transports: Type.Optional(
              Type.Array(Type.String({ maxLength: 50 }), {
                maxItems: 20,
                description: 'How browsers reach the authenticator.',
              }),
            ),
          },
          { description: 'The response of the authenticator.' },
        ),
      },
      { description: '`toJSON()` of the credential that `navigator.credentials.create` returned.' },
    ),
    name: FactorName,
  }),
  reply: { 201: NewFactor },
  problems: [ProofRequired, FactorNotBegun, FactorRefused, PasskeysUnavailable, TooManyFactors],
  run: async (
    { caller, body: { credential, name }, note },
    services: FactorServices & { newId: NewId; builderTokens: BuilderTokens },
  ) => {
    await requireProof(services, caller)
    const added = await confirm(services, caller, { created: credential, name })
    services.builderTokens.forget(caller.sessionId)
    note({ resourceId: added.factor.id })
    return reply(201, newFactorResource(added))
  },
})
