import { casesOf } from '../../../../testkit/cases.ts'
import { listEventTopicRoutes } from './list-event-topic-routes.ts'

export const cases = casesOf(listEventTopicRoutes, {
  request: (ids) => ({ query: { topicId: ids.topicId, eventType: 'connection.error' } }),
  status: 200,
})
