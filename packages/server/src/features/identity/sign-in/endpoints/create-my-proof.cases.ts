import { casesOf } from '../../../../testkit/cases.ts'
import { password } from '../../../../testkit/world.ts'
import { createMyProof } from './create-my-proof.ts'

export const cases = casesOf(createMyProof, {
  request: { body: { password: 'not the password' } },
  status: 403,
  namesNoIds: true,
  countsRefusals: true,
  example: {
    status: 200,
    request: async ({ builder }) => ({
      headers: (await builder({ email: 'petra@acme.example', password })).headers,
      body: { password },
    }),
  },
})
