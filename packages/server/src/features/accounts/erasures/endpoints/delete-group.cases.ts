import { casesOf } from '../../../../testkit/cases.ts'
import { deleteGroup } from './delete-group.ts'

export const cases = casesOf(deleteGroup, {
  status: 404,
  example: {
    status: 204,
    request: async (world) => {
      await world.connect('forgotten')
      return { params: { groupRef: 'forgotten' } }
    },
  },
})
