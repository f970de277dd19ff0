import type { NewId } from '../../../../kernel/db/index.ts'
import { endpoint, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { DestinationNotFound } from '../../destinations/index.ts'
import { NewTopicDestinationRoute, TopicDestinationRoute, topicDestinationRouteResource } from '../model.ts'
import { RouteExists, TopicNotFound } from '../problems.ts'
import { insertTopicDestinationRoute, lockDestination, lockTopic } from '../store.ts'

export const createTopicDestinationRoute = endpoint({
  id: 'createTopicDestinationRoute',
  method: 'POST',
  path: '/projects/{projectIdOrName}/topic-destination-routes',
  access: 'develop',
  summary: 'Send the events of a topic to a destination.',
  description: 'An event that reaches a destination through several topics is sent there once.',
  tag: 'Notifications',
  params: ProjectPath,
  body: NewTopicDestinationRoute,
  reply: { 201: TopicDestinationRoute },
  problems: [TopicNotFound, DestinationNotFound, RouteExists],
  run: async ({ db, body: { topicId, destinationId } }, { newId }: { newId: NewId }) => {
    const row = await db.transaction(async (tx) => {
      if (!(await lockTopic(tx, topicId))) throw new TopicNotFound()
      if (!(await lockDestination(tx, destinationId)))
        throw new DestinationNotFound({ detail: 'This project has no destination with that id.' })
      return insertTopicDestinationRoute(tx, { id: newId(), topicId, destinationId })
    })
    if (!row) throw new RouteExists({ detail: 'The topic is routed to this destination already.' })
    return reply(201, topicDestinationRouteResource(row))
  },
})
