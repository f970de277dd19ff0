import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { createTopicDestinationRoute } from './create-topic-destination-route.ts'

export const cases = casesOf(createTopicDestinationRoute, {
  request: (ids) => ({ body: { topicId: ids.topicId, destinationId: ids.destination } }),
  // The tenant has this route already.
  status: 409,
  example: {
    status: 201,
    request: async ({ make, tenant }) => {
      const topic = await make('POST', `${project}/topics`, { name: 'installs' })
      return { body: { topicId: topic.id, destinationId: tenant.ids.destination } }
    },
  },
})
