import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type NewMessage, type PostingServices, postMessages } from '../messages/index.ts'
import type { EventData, EventType } from './event-types.ts'
import { notificationMessage } from './notification-message.ts'
import { type EventTarget, listEventTargets } from './store.ts'

export type EmitServices = PostingServices

/** An event that has happened. `except` is a destination that does not receive it, because the event is about it. */
export type HappenedEvent = {
  [N in EventType]: { type: N; data: EventData<N>; installationId?: string; except?: string }
}[EventType]

/** The input of `emit`. */
export interface Emission {
  /** Types of the events that may have happened. */
  types: EventType[]
  /** Creates the events. Called only when one of the types is routed to a destination. */
  events: () => Promise<HappenedEvent[]>
}

/**
 * Posts events to the destinations that their types are routed to, in the caller's transaction: one message per event
 * and destination. Without a route this costs one lookup, otherwise a number of statements that does not grow with the
 * number of events.
 */
export async function emit(tx: ProjectDb, services: EmitServices, { types, events }: Emission): Promise<void> {
  if (types.length === 0) return
  const targets = await listEventTargets(tx, [...new Set(types)])
  if (targets.length === 0) return
  const byType = Map.groupBy(targets, ({ eventType }) => eventType)
  const messages = (await events()).flatMap((event) => messagesOf(event, byType.get(event.type) ?? []))
  if (messages.length > 0) await postMessages(tx, services, messages)
}

function messagesOf(event: HappenedEvent, routed: EventTarget[]): NewMessage[] {
  const targets = routed.filter(({ destinationId }) => destinationId !== event.except)
  if (targets.length === 0) return []
  const message = notificationMessage(event.type, event.data)
  return targets.map(({ destinationName }) => ({
    ...message,
    destinationName,
    kind: 'notification' as const,
    eventType: event.type,
    ...(event.installationId !== undefined && { installationId: event.installationId }),
  }))
}
