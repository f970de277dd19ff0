import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { deleteTopic } from './delete-topic.ts'

export const cases = casesOf(deleteTopic, {
  status: 404,
  example: {
    status: 204,
    request: async ({ make }) => ({
      params: { topicId: (await make('POST', `${project}/topics`, { name: 'old' })).id },
    }),
  },
})
