import type { NewId } from '../../../../kernel/db/index.ts'
import { endpoint, ProjectPath, reply, UnacceptableInput } from '../../../../kernel/http/index.ts'
import { EventTopicRoute, eventTopicRouteResource, NewEventTopicRoute } from '../model.ts'
import { RouteExists } from '../problems.ts'
import { insertEventTopicRoute, lockTopic } from '../store.ts'

export const createEventTopicRoute = endpoint({
  id: 'createEventTopicRoute',
  method: 'POST',
  path: '/projects/{projectIdOrName}/notification-event-topic-routes',
  access: 'develop',
  summary: 'Route events of one type to a topic.',
  description: 'Applies to events from now on.',
  tag: 'Notifications',
  params: ProjectPath,
  body: NewEventTopicRoute,
  reply: { 201: EventTopicRoute },
  problems: [UnacceptableInput, RouteExists],
  run: async ({ db, body: { eventType, topicId } }, { newId }: { newId: NewId }) => {
    const row = await db.transaction(async (tx) => {
      if (!(await lockTopic(tx, topicId)))
        throw new UnacceptableInput({
          issues: [
            {
              in: 'body',
              name: 'topicId',
              value: topicId,
              detail: 'This project has no topic with this id.',
              remedy: 'Create the topic first.',
            },
          ],
        })
      return insertEventTopicRoute(tx, { id: newId(), eventType, topicId })
    })
    if (!row) throw new RouteExists({ detail: `${eventType} is routed to this topic already.` })
    return reply(201, eventTopicRouteResource(row))
  },
})
