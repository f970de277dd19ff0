import { type Static, Type } from 'typebox'
import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import { named, type ServerEvent } from '../../../kernel/http/index.ts'
import { type Followed, follow, type PubSub } from '../../../kernel/pubsub/index.ts'
import { type DeliveryTarget, deliveryTarget, findDestinationById } from '../destinations/index.ts'
import { type FoundMessage, findMessages, listMessageIds } from './message-list-store.ts'
import { Message } from './message-model.ts'
import { outgoingBody } from './outgoing.ts'
import { messagesTopic } from './topic.ts'

/** Data of the events in a stream of messages. */
export const StreamedMessage = named(
  'StreamedMessage',
  Type.Object({
    ...Message.properties,
    body: Type.Optional(Type.String({ description: 'With `includePayload`: the exact text of the body.' })),
    headers: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: { type: 'string' },
        description:
          'With `signed`: the headers that an attempt would send now: the signature and those of the destination. Absent while the message has no destination.',
      }),
    ),
  }),
)

export interface MessageStreamOptions {
  signal: AbortSignal
  lastEventId: string | undefined
  destinationId: string | undefined
  includePayload: boolean
  signed: boolean
}

type StreamServices = { pubsub: PubSub; keyring: Keyring; publicUrl: string; now: () => Date; newId: NewId }

/** Streams an event `message` for each posted message, and `state` for each change of its state. */
export async function* messageEvents(
  db: ProjectDb,
  services: StreamServices,
  options: MessageStreamOptions,
): AsyncGenerator<ServerEvent> {
  const { signal, lastEventId, destinationId } = options
  const withPayload = options.includePayload || options.signed
  // Where a client resumes: the newest message that it received.
  let position = lastEventId ?? services.newId()
  const followed = follow<FoundMessage>({
    pubsub: services.pubsub,
    newId: services.newId,
    topic: messagesTopic(db.projectId),
    signal,
    after: lastEventId,
    idsAfter: (after, limit) => listMessageIds(db, { after, destinationId, limit }),
    fetch: (ids) => findMessages(db, { ids, destinationId, withPayload }),
    changes: {
      stateOf: ({ message: { state, attempts } }) => (state === 'pending' ? `${state} ${attempts}` : undefined),
      fetch: (ids) => findMessages(db, { ids, destinationId, withPayload: false }),
    },
  })
  for await (const { item, what } of followed) {
    if (what === 'created' && item.id > position) position = item.id
    const data =
      what === 'created' && withPayload ? await asDelivered(db, services, item, options.signed) : item.message
    yield { id: position, event: eventOf(what), data }
  }
}

function eventOf(what: Followed<unknown>['what']): string {
  return what === 'created' ? 'message' : 'state'
}

/**
 * Returns the message with its body, and with headers that its receiver would accept: signed now, for its destination.
 */
async function asDelivered(
  db: ProjectDb,
  services: StreamServices,
  { message, payload, hasResult }: FoundMessage,
  signed: boolean,
): Promise<Static<typeof StreamedMessage>> {
  const time = services.now()
  const { id, destinationId } = message
  const stored = outgoingBody(services, db.projectId, { id, payload: payload ?? Buffer.alloc(0), hasResult }, time)
  const target = signed && destinationId !== undefined ? await findTarget(db, services, destinationId) : undefined
  const body = target?.kind.bodyOf?.(target.settings, stored) ?? stored
  return {
    ...message,
    body: body.toString('utf8'),
    ...(target && { headers: target.kind.headers(target.settings, target.keys, { id, body }, time) }),
  }
}

/** Finds the destination, even a disabled one: users may inspect its messages too. */
async function findTarget(db: ProjectDb, services: StreamServices, id: string): Promise<DeliveryTarget | undefined> {
  const row = await findDestinationById(db, id)
  return row && deliveryTarget(row, services)
}
