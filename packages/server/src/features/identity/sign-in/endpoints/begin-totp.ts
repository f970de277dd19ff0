import { Type } from 'typebox'
import { endpoint, reply, secret, Timestamp } from '../../../../kernel/http/index.ts'
import { beginTotp as begin } from '../factors/set-up.ts'
import type { FactorServices } from '../factors/use-factor.ts'
import { ProofRequired, TooManyFactors } from '../problems.ts'
import { requireProof } from '../proof.ts'

export const beginTotp = endpoint({
  id: 'beginTotp',
  method: 'POST',
  path: '/my-info/factors:beginTotp',
  access: 'builder',
  beforeSecondFactor: true,
  summary: 'Begin to set up an authenticator app.',
  description:
    'Show `uri` as a QR code, or `secret` as text. Then send the code of the app to `:confirmTotp`, in the same session and within ten minutes. Needs a sign-in or a proof within the last ten minutes.',
  tag: 'Sign-in',
  extension: true,
  audit: { exempt: 'nothing changes before the factor is confirmed, which leaves an entry' },
  reply: {
    200: Type.Object({
      secret: secret(Type.String({ description: 'The secret in base32, for apps without a camera.' })),
      uri: secret(Type.String({ description: 'The secret as `otpauth://` address, for a QR code.' })),
      expireTime: Type.Unsafe<Date | string>({ ...Timestamp, description: 'Until when you can confirm it.' }),
    }),
  },
  problems: [ProofRequired, TooManyFactors],
  run: async ({ caller }, services: FactorServices) => {
    await requireProof(services, caller)
    return reply(200, await begin(services, caller))
  },
})
