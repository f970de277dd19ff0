import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { deleteEventTopicRoute } from './delete-event-topic-route.ts'

export const cases = casesOf(deleteEventTopicRoute, {
  status: 404,
  example: {
    status: 204,
    request: async ({ make, tenant }) => {
      const body = { eventType: 'installation.deleted', topicId: tenant.ids.topicId }
      return { params: { routeId: (await make('POST', `${project}/notification-event-topic-routes`, body)).id } }
    },
  },
})
