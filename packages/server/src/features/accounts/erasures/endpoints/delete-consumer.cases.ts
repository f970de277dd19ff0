import { casesOf } from '../../../../testkit/cases.ts'
import { deleteConsumer } from './delete-consumer.ts'

export const cases = casesOf(deleteConsumer, {
  status: 404,
  example: {
    status: 204,
    request: async (world) => {
      await world.connect('left')
      return { params: { consumerRef: 'left-ada' } }
    },
  },
})
