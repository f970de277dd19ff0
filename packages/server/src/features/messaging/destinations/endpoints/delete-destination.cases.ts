import { casesOf } from '../../../../testkit/cases.ts'
import { deleteDestination } from './delete-destination.ts'

export const cases = casesOf(deleteDestination, {
  status: 404,
  example: {
    status: 204,
    request: async (world) => ({ params: { destination: await world.destination('old-hook') } }),
  },
})
