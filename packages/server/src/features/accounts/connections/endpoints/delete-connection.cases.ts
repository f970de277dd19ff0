import { casesOf } from '../../../../testkit/cases.ts'
import { deleteConnection } from './delete-connection.ts'

export const cases = casesOf(deleteConnection, {
  status: 404,
  example: { status: 204, request: async (world) => ({ params: { connectionId: await world.connect('leaving') } }) },
})
