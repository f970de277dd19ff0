import { type Static, Type } from 'typebox'
import { isId } from '../../../kernel/db/index.ts'
import { Enum, InvalidInput, type Issue, named, Timestamp } from '../../../kernel/http/index.ts'
import { type EventType, eventNames } from './event-types.ts'

/** Resources of topics and routes, and the validation of their input. */

export const Topic = named(
  'Topic',
  Type.Object({
    id: Type.String({ description: 'Id of the topic.' }),
    name: Type.String({ description: 'Name, unique in the project.' }),
    projectId: Type.String({ description: 'Id of the project.' }),
    createTime: Timestamp,
    updateTime: Type.Optional(Timestamp),
  }),
)
export type Topic = Static<typeof Topic>

export const TopicInput = named(
  'TopicInput',
  Type.Object({
    name: Type.String({ description: '1 to 64 letters, digits and dashes; unique in the project.' }),
  }),
)

export const NotificationEventType = named(
  'NotificationEventType',
  Enum([...eventNames], { description: 'What happened.' }),
)

export const EventTopicRoute = named(
  'NotificationEventTopicRoute',
  Type.Object({
    id: Type.String({ description: 'Id of the route.' }),
    eventType: NotificationEventType,
    topicId: Type.String({ description: 'The topic that events of this type are routed to.' }),
    projectId: Type.String({ description: 'Id of the project.' }),
    createTime: Timestamp,
    updateTime: Type.Optional(Timestamp),
  }),
)

export const NewEventTopicRoute = named(
  'NewEventTopicRoute',
  Type.Object({
    eventType: NotificationEventType,
    topicId: Type.String({ description: 'Id of the topic.' }),
  }),
)

export const TopicDestinationRoute = named(
  'TopicDestinationRoute',
  Type.Object({
    id: Type.String({ description: 'Id of the route.' }),
    topicId: Type.String({ description: 'The topic whose events are sent.' }),
    destinationId: Type.String({ description: 'The destination that they are sent to.' }),
    projectId: Type.String({ description: 'Id of the project.' }),
    createTime: Timestamp,
  }),
)

export const NewTopicDestinationRoute = named(
  'NewTopicDestinationRoute',
  Type.Object({
    topicId: Type.String({ description: 'Id of the topic.' }),
    destinationId: Type.String({ description: 'Id of the destination.' }),
  }),
)

const namePattern = /^[A-Za-z0-9-]{1,64}$/

/** @throws InvalidInput when the name of a topic is not valid */
export function checkTopicName(name: string): void {
  if (namePattern.test(name)) return
  refuse({ in: 'body', name: 'name', value: name, detail: 'name must be 1 to 64 letters, digits and dashes.' })
}

/** @throws InvalidInput when a path contains an invalid id of a topic or a route (contract 9, row 14) */
export function checkPathId(name: string, value: string): void {
  if (isId(value)) return
  refuse({ in: 'path', name, value, detail: `${name} must be an id: a UUID.` })
}

function refuse(issue: Issue): never {
  throw new InvalidInput({ issues: [issue] })
}

export interface TopicRow {
  id: string
  name: string
  project_id: string
  create_time: Date
  update_time: Date | null
}

/** Converts a row to the resource in a response. */
export function topicResource(row: TopicRow): Topic {
  return {
    id: row.id,
    name: row.name,
    projectId: row.project_id,
    createTime: row.create_time,
    ...(row.update_time && { updateTime: row.update_time }),
  }
}

export interface EventTopicRouteRow {
  id: string
  event_type: string
  topic_id: string
  project_id: string
  create_time: Date
}

export function eventTopicRouteResource(row: EventTopicRouteRow): Static<typeof EventTopicRoute> {
  return {
    id: row.id,
    eventType: row.event_type as EventType,
    topicId: row.topic_id,
    projectId: row.project_id,
    createTime: row.create_time,
  }
}

export interface TopicDestinationRouteRow {
  id: string
  topic_id: string
  destination_id: string
  project_id: string
  create_time: Date
}

export function topicDestinationRouteResource(row: TopicDestinationRouteRow): Static<typeof TopicDestinationRoute> {
  return {
    id: row.id,
    topicId: row.topic_id,
    destinationId: row.destination_id,
    projectId: row.project_id,
    createTime: row.create_time,
  }
}
