import { Type } from 'typebox'
import { endpoint, PageQuery, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { EventTopicRoute, eventTopicRouteResource, NotificationEventType } from '../model.ts'
import { listEventTopicRouteRows } from '../store.ts'

export const listEventTopicRoutes = endpoint({
  id: 'listEventTopicRoutes',
  method: 'GET',
  path: '/projects/{projectIdOrName}/notification-event-topic-routes',
  access: 'view',
  summary: 'List the routes from events to topics.',
  description: 'Oldest first. The filters can be combined.',
  tag: 'Notifications',
  params: ProjectPath,
  query: Type.Object({
    topicId: Type.Optional(Type.String({ description: 'Only routes to this topic.' })),
    eventType: Type.Optional(NotificationEventType),
    ...PageQuery,
  }),
  reply: { 200: Type.Array(EventTopicRoute) },
  run: async (input) => {
    const { items, headers } = await pageOf(input, {
      list: (page) => listEventTopicRouteRows(input.db, input.query, page),
      keyOf: ({ id }) => id,
    })
    return reply(200, items.map(eventTopicRouteResource), headers)
  },
})
