import { casesOf } from '../../../../testkit/cases.ts'
import { enrolled } from '../factors/factor-world.testkit.ts'
import { replaceMyRecoveryCodes } from './replace-my-recovery-codes.ts'

export const cases = casesOf(replaceMyRecoveryCodes, {
  status: 403,
  namesNoIds: true,
  example: { status: 201, request: async (world) => (await enrolled(world, 'rose@acme.example')).request() },
})
