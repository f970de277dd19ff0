import { casesOf } from '../../../../testkit/cases.ts'
import { publicUrl } from '../../../../testkit/world.ts'
import { createAuthenticator } from '../factors/authenticator.testkit.ts'
import { prover } from '../factors/factor-world.testkit.ts'
import { confirmPasskey } from './confirm-passkey.ts'

export const cases = casesOf(confirmPasskey, {
  request: {
    body: {
      credential: {
        id: 'AAAA',
        rawId: 'AAAA',
        type: 'public-key',
        response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' },
      },
    },
  },
  status: 403,
  namesNoIds: true,
  example: {
    status: 201,
    request: async (world) => {
      const { call, request } = await prover(world, 'paula@acme.example')
      const { options } = await call<{ options: { challenge: string; rp: { id: string } } }>(
        'POST',
        '/my-info/factors:beginPasskey',
      )
      return request({ body: { credential: createAuthenticator(publicUrl).create(options), name: 'Laptop' } })
    },
  },
})
