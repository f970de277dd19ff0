import { casesOf } from '../../../../testkit/cases.ts'
import { prover } from '../factors/factor-world.testkit.ts'
import { codeAt } from '../factors/factors.testkit.ts'
import { confirmTotp } from './confirm-totp.ts'

export const cases = casesOf(confirmTotp, {
  request: { body: { code: '123456' } },
  status: 403,
  namesNoIds: true,
  example: {
    status: 201,
    request: async (world) => {
      const { call, request } = await prover(world, 'tina@acme.example')
      const { secret } = await call<{ secret: string }>('POST', '/my-info/factors:beginTotp')
      return request({ body: { code: codeAt(secret, world.app.clock.now()), name: 'Phone' } })
    },
  },
})
