import { createEventTopicRoute } from './endpoints/create-event-topic-route.ts'
import { createTopic } from './endpoints/create-topic.ts'
import { createTopicDestinationRoute } from './endpoints/create-topic-destination-route.ts'
import { deleteEventTopicRoute } from './endpoints/delete-event-topic-route.ts'
import { deleteTopic } from './endpoints/delete-topic.ts'
import { deleteTopicDestinationRoute } from './endpoints/delete-topic-destination-route.ts'
import { listEventTopicRoutes } from './endpoints/list-event-topic-routes.ts'
import { listTopicDestinationRoutes } from './endpoints/list-topic-destination-routes.ts'
import { listTopics } from './endpoints/list-topics.ts'
import { updateTopic } from './endpoints/update-topic.ts'

export { type EventData, type EventDeclaration, type EventType, eventNames, eventTypes } from './event-types.ts'
export {
  approvalDecidedEvents,
  approvalRequestedEvents,
  connectionEvents,
  connectionRefreshedEvents,
  connectionStatusEvents,
  connectionsDeletedEvents,
  deadLetterEvents,
  destinationEvents,
  installationEvents,
  installationsDeletedEvents,
  readEvents,
  readsPausedEvents,
  subscriptionEvents,
  writeEvents,
} from './events.ts'
export { findOrigins } from './origins.ts'
export { isRouted } from './store.ts'

export const notificationsEndpoints = [
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
