import { casesOf } from '../../../../testkit/cases.ts'
import { createEventTopicRoute } from './create-event-topic-route.ts'

export const cases = casesOf(createEventTopicRoute, {
  request: (ids) => ({ body: { eventType: 'connection.error', topicId: ids.topicId } }),
  // The tenant has this route already.
  status: 409,
  example: {
    status: 201,
    request: ({ tenant }) => ({ body: { eventType: 'installation.created', topicId: tenant.ids.topicId } }),
  },
})
