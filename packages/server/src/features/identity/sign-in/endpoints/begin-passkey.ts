import { Type } from 'typebox'
import { endpoint, FreeForm, reply, secret, Timestamp } from '../../../../kernel/http/index.ts'
import { beginPasskey as begin } from '../factors/set-up.ts'
import type { FactorServices } from '../factors/use-factor.ts'
import { PasskeysUnavailable, ProofRequired, TooManyFactors } from '../problems.ts'
import { requireProof } from '../proof.ts'

export const beginPasskey = endpoint({
  id: 'beginPasskey',
  method: 'POST',
  path: '/my-info/factors:beginPasskey',
  access: 'builder',
  beforeSecondFactor: true,
  summary: 'Begin to set up a passkey.',
  description:
    'Pass `options` to `PublicKeyCredential.parseCreationOptionsFromJSON`, and its result to `navigator.credentials.create`, on a page of this service. Then send the credential to `:confirmPasskey`, in the same session and within ten minutes.',
  tag: 'Sign-in',
  extension: true,
  audit: { exempt: 'nothing changes before the factor is confirmed, which leaves an entry' },
  reply: {
    200: Type.Object({
      options: secret(
        Type.Unsafe<Record<string, unknown>>({
          ...FreeForm,
          description: '`PublicKeyCredentialCreationOptionsJSON` (WebAuthn level 3).',
        }),
      ),
      expireTime: Type.Unsafe<Date | string>({ ...Timestamp, description: 'Until when you can confirm it.' }),
    }),
  },
  problems: [ProofRequired, PasskeysUnavailable, TooManyFactors],
  run: async ({ caller }, services: FactorServices) => {
    await requireProof(services, caller)
    return reply(200, await begin(services, caller))
  },
})
