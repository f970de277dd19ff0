import { casesOf } from '../../../../testkit/cases.ts'
import { prover } from '../factors/factor-world.testkit.ts'
import { beginTotp } from './begin-totp.ts'

export const cases = casesOf(beginTotp, {
  status: 403,
  namesNoIds: true,
  example: { status: 200, request: async (world) => (await prover(world, 'tom@acme.example')).request() },
})
