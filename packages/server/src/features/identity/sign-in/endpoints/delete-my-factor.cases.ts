import { casesOf } from '../../../../testkit/cases.ts'
import { enrolled } from '../factors/factor-world.testkit.ts'
import { deleteMyFactor } from './delete-my-factor.ts'

export const cases = casesOf(deleteMyFactor, {
  status: 403,
  namesNoIds: true,
  example: {
    status: 204,
    request: async (world) => {
      const { factorId, request } = await enrolled(world, 'rita@acme.example')
      return request({ params: { factorId } })
    },
  },
})
