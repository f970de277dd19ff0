import { casesOf } from '../../../../testkit/cases.ts'
import { prover } from '../factors/factor-world.testkit.ts'
import { beginPasskey } from './begin-passkey.ts'

export const cases = casesOf(beginPasskey, {
  status: 403,
  namesNoIds: true,
  example: { status: 200, request: async (world) => (await prover(world, 'pat@acme.example')).request() },
})
