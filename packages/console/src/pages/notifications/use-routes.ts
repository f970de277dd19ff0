import type { Output } from '@mortise/client'
import { useCall, useChange } from '../../session/data.ts'
import { type EventType, eventTypes } from './event-types.ts'

export type Topic = Output<'listTopics'>[number]
export type Destination = Output<'listDestinations'>[number]

/** One route of either kind: what it begins and ends at. */
export interface Route {
  id: string
  kind: 'event' | 'destination'
  from: string
  to: string
}

/** Columns of the picture, and their keys. */
export const eventKey = (type: string) => `event ${type}`
export const topicKey = (id: string) => `topic ${id}`
export const destinationKey = (id: string) => `destination ${id}`

/** Topics, destinations and the routes between them. */
export function useRoutes() {
  const topics = useCall('listTopics', {})
  const destinations = useCall('listDestinations', {})
  const ofEvents = useCall('listEventTopicRoutes', {})
  const ofTopics = useCall('listTopicDestinationRoutes', {})
  const all = [topics, destinations, ofEvents, ofTopics]
  const isHere = topics.data && destinations.data && ofEvents.data && ofTopics.data
  return {
    error: all.find(({ error }) => error !== null)?.error ?? null,
    isPending: all.some(({ isPending }) => isPending),
    refetch: () => Promise.all(all.map(({ refetch }) => refetch())),
    data: isHere && {
      events: Object.keys(eventTypes) as EventType[],
      topics: topics.data.toSorted((one, other) => one.name.localeCompare(other.name)),
      destinations: destinations.data.toSorted((one, other) => one.name.localeCompare(other.name)),
      routes: [
        ...ofEvents.data.map(
          ({ id, eventType, topicId }): Route => ({
            id,
            kind: 'event',
            from: eventKey(eventType),
            to: topicKey(topicId),
          }),
        ),
        ...ofTopics.data.map(
          ({ id, topicId, destinationId }): Route => ({
            id,
            kind: 'destination',
            from: topicKey(topicId),
            to: destinationKey(destinationId),
          }),
        ),
      ],
    },
  }
}
export type Picture = NonNullable<ReturnType<typeof useRoutes>['data']>

/** Adds and removes routes. */
export function useRouting() {
  const ofEvents = { refreshes: ['listEventTopicRoutes'] as 'listEventTopicRoutes'[] }
  const ofTopics = { refreshes: ['listTopicDestinationRoutes'] as 'listTopicDestinationRoutes'[] }
  const addEvent = useChange('createEventTopicRoute', ofEvents)
  const removeEvent = useChange('deleteEventTopicRoute', ofEvents)
  const addDestination = useChange('createTopicDestinationRoute', ofTopics)
  const removeDestination = useChange('deleteTopicDestinationRoute', ofTopics)
  return {
    isBusy: [addEvent, removeEvent, addDestination, removeDestination].some(({ isPending }) => isPending),
    routeEvent: (eventType: EventType, topicId: string) => addEvent.mutate({ body: { eventType, topicId } }),
    routeTopic: (topicId: string, destinationId: string) => addDestination.mutate({ body: { topicId, destinationId } }),
    remove: ({ id, kind }: Route) =>
      kind === 'event' ? removeEvent.mutate({ routeId: id }) : removeDestination.mutate({ routeId: id }),
  }
}
