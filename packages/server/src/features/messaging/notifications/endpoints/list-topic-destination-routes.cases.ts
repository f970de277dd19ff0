import { casesOf } from '../../../../testkit/cases.ts'
import { listTopicDestinationRoutes } from './list-topic-destination-routes.ts'

export const cases = casesOf(listTopicDestinationRoutes, {
  request: (ids) => ({ query: { topicId: ids.topicId, destinationId: ids.destination } }),
  status: 200,
})
