import type { Input, Item } from '@mortise/client'
import { all, defined, resource, timeText } from './resource.ts'
import { topicId } from './topic-id.ts'

export const topics = resource<Item<'listTopics'>>({
  name: 'topics',
  one: 'topic',
  columns: [
    ['Name', ({ name }) => name],
    ['Id', ({ id }) => id],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: { rows: ({ mortise, signal }) => all(mortise.listTopics({}, { signal })) },
  delete: {
    run: async ({ mortise, signal }, nameOrId) =>
      await mortise.deleteTopic({ topicId: await topicId(mortise, nameOrId, signal) }, { signal }),
  },
})

type EventType = NonNullable<NonNullable<Input<'listEventTopicRoutes'>['query']>['eventType']>

export const eventRoutes = resource<Item<'listEventTopicRoutes'>>({
  name: 'event-routes',
  one: 'event-route',
  columns: [
    ['Event', ({ eventType }) => eventType],
    ['Topic', ({ topicId }) => topicId],
    ['Id', ({ id }) => id],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: {
    takes: ['topic', 'event'],
    rows: ({ mortise, signal, options: { topic, event } }) =>
      // The service reports an unknown type.
      all(
        mortise.listEventTopicRoutes(
          { query: defined({ topicId: topic, eventType: event as EventType | undefined }) },
          { signal },
        ),
      ),
  },
  delete: { run: ({ mortise, signal }, routeId) => mortise.deleteEventTopicRoute({ routeId }, { signal }) },
})

export const destinationRoutes = resource<Item<'listTopicDestinationRoutes'>>({
  name: 'destination-routes',
  one: 'destination-route',
  columns: [
    ['Topic', ({ topicId }) => topicId],
    ['Destination', ({ destinationId }) => destinationId],
    ['Id', ({ id }) => id],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: {
    takes: ['topic', 'destination'],
    rows: ({ mortise, signal, options: { topic, destination } }) =>
      all(
        mortise.listTopicDestinationRoutes(
          { query: defined({ topicId: topic, destinationId: destination }) },
          { signal },
        ),
      ),
  },
  delete: { run: ({ mortise, signal }, routeId) => mortise.deleteTopicDestinationRoute({ routeId }, { signal }) },
})
