import type { Input } from '@mortise/client'

export type EventType = Input<'createEventTopicRoute'>['body']['eventType']

/** Each event and when it is sent. */
export const eventTypes: Record<EventType, string> = {
  'connection.created': 'An account was connected for the first time.',
  'connection.updated': 'The same account was connected again, or its connection changed.',
  'connection.refreshed': 'An access token was renewed automatically.',
  'connection.error': 'A credential was refused; once, until it works again.',
  'connection.deleted': 'A connection was deleted.',
  'installation.created': 'An integration was installed.',
  'installation.updated': 'The config or the connection of an installation changed.',
  'installation.deleted': 'An installation was deleted, alone or with its integration.',
  'read.backfill.done': 'A backfill succeeded.',
  'read.backfill.error': 'A backfill failed.',
  'read.triggered.done': 'A triggered read succeeded.',
  'read.triggered.error': 'A triggered read failed permanently.',
  'read.schedule.paused': 'Scheduled reads were paused, automatically or on request.',
  'write.async.done': 'An asynchronous write ended.',
  'approval.requested': 'An agent wants to do something that a person must approve.',
  'approval.decided': 'A call of an agent was approved or refused.',
  'subscribe.create.error': 'A subscription could not be set up.',
  'destination.webhook.disabled': 'A webhook was disabled; never sent to that webhook.',
  'destination.deadletter.added': 'A destination has new dead letters; at most once an hour.',
}
