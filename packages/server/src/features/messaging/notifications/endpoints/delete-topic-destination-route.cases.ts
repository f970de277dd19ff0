import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { deleteTopicDestinationRoute } from './delete-topic-destination-route.ts'

export const cases = casesOf(deleteTopicDestinationRoute, {
  status: 404,
  example: {
    status: 204,
    request: async ({ make, tenant }) => {
      const topic = await make('POST', `${project}/topics`, { name: 'unheard' })
      const body = { topicId: topic.id, destinationId: tenant.ids.destination }
      return { params: { routeId: (await make('POST', `${project}/topic-destination-routes`, body)).id } }
    },
  },
})
