import { Type } from 'typebox'
import { endpoint, PageQuery, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { TopicDestinationRoute, topicDestinationRouteResource } from '../model.ts'
import { listTopicDestinationRouteRows } from '../store.ts'

export const listTopicDestinationRoutes = endpoint({
  id: 'listTopicDestinationRoutes',
  method: 'GET',
  path: '/projects/{projectIdOrName}/topic-destination-routes',
  access: 'view',
  summary: 'List the routes from topics to destinations.',
  description: 'Oldest first. The filters can be combined.',
  tag: 'Notifications',
  params: ProjectPath,
  query: Type.Object({
    topicId: Type.Optional(Type.String({ description: 'Only routes of this topic.' })),
    destinationId: Type.Optional(Type.String({ description: 'Only routes to this destination.' })),
    ...PageQuery,
  }),
  reply: { 200: Type.Array(TopicDestinationRoute) },
  run: async (input) => {
    const { items, headers } = await pageOf(input, {
      list: (page) => listTopicDestinationRouteRows(input.db, input.query, page),
      keyOf: ({ id }) => id,
    })
    return reply(200, items.map(topicDestinationRouteResource), headers)
  },
})
