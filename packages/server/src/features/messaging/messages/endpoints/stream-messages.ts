import { Type } from 'typebox'
import { isId, type NewId } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, lastEventId, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { assertStreamSlot, type PubSub, streamOf, TooManyStreams } from '../../../../kernel/pubsub/index.ts'
import { DestinationNotFound, findDestination } from '../../destinations/index.ts'
import { messageEvents, StreamedMessage } from '../message-stream.ts'
import { messagesTopic } from '../topic.ts'

export const streamMessages = endpoint({
  id: 'streamMessages',
  method: 'GET',
  path: '/projects/{projectIdOrName}/messages:stream',
  access: 'view',
  summary: 'Follow messages as they are posted and delivered.',
  description: `Server-sent events. \`message\`: a new message, or its first event in this stream; \`state\`: one was delivered, has failed, or waits for its next attempt. With the header Last-Event-ID, the stream continues after that event: every message arrives, some twice; state changes that were missed meanwhile do not. It ends after an hour. A project can have 20 of them open on a node.`,
  tag: 'Messages',
  extension: true,
  params: ProjectPath,
  query: Type.Object({
    destination: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'Id or name. Returns only messages to this destination.',
      }),
    ),
    includePayload: Type.Optional(Type.Boolean({ description: '`message` events have `body`.' })),
    signed: Type.Optional(
      Type.Boolean({
        description:
          '`message` events have `body` and `headers`, as an attempt would send them now. You can forward them to an endpoint that verifies them.',
      }),
    ),
  }),
  reply: {
    200: Type.Unsafe<string>({ ...StreamedMessage, description: 'Events; `data` is as JSON what is shown here.' }),
  },
  produces: 'text/event-stream',
  problems: [DestinationNotFound, TooManyStreams],
  run: async (
    { db, query, headers, signal },
    services: { pubsub: PubSub; keyring: Keyring; publicUrl: string; now: () => Date; newId: NewId },
  ) => {
    const destination = query.destination === undefined ? undefined : await findDestination(db, query.destination)
    if (query.destination !== undefined && !destination) throw new DestinationNotFound()
    assertStreamSlot(services.pubsub, messagesTopic(db.projectId))
    const last = lastEventId(headers)
    const source = messageEvents(db, services, {
      signal,
      lastEventId: last !== undefined && isId(last) ? last.toLowerCase() : undefined,
      destinationId: destination?.id,
      includePayload: query.includePayload ?? false,
      signed: query.signed ?? false,
    })
    return reply(200, streamOf({ signal, source }))
  },
})
