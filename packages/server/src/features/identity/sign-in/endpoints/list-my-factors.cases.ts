import { casesOf } from '../../../../testkit/cases.ts'
import { enrolled } from '../factors/factor-world.testkit.ts'
import { listMyFactors } from './list-my-factors.ts'

export const cases = casesOf(listMyFactors, {
  status: 200,
  namesNoIds: true,
  example: { request: async (world) => (await enrolled(world, 'tess@acme.example')).request() },
})
