import { createEventTopicRoute } from './operations/create-event-topic-route.ts'
import { createTopic } from './operations/create-topic.ts'
import { createTopicDestinationRoute } from './operations/create-topic-destination-route.ts'
import { deleteEventTopicRoute } from './operations/delete-event-topic-route.ts'
import { deleteTopic } from './operations/delete-topic.ts'
import { deleteTopicDestinationRoute } from './operations/delete-topic-destination-route.ts'
import { listEventTopicRoutes } from './operations/list-event-topic-routes.ts'
import { listTopicDestinationRoutes } from './operations/list-topic-destination-routes.ts'
import { listTopics } from './operations/list-topics.ts'
import { updateTopic } from './operations/update-topic.ts'

export { type EventData, type EventDeclaration, type EventType, eventNames, eventTypes } from './event-types.ts'
export {
  connectionEvents,
  connectionRefreshedEvents,
  connectionStatusEvents,
  connectionsDeletedEvents,
  destinationEvents,
  installationEvents,
  installationsDeletedEvents,
  readEvents,
  readsPausedEvents,
  subscriptionEvents,
  writeEvents,
} from './events.ts'

export const notificationsOperations = [
  createTopic,
  listTopics,
  updateTopic,
  deleteTopic,
  createEventTopicRoute,
  listEventTopicRoutes,
  deleteEventTopicRoute,
  createTopicDestinationRoute,
  listTopicDestinationRoutes,
  deleteTopicDestinationRoute,
]
