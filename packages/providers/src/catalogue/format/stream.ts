import { type Static, Type } from 'typebox'
import { Lookup } from './lookups.ts'
import { neededScopes } from './scopes.ts'
import { choice, name, path, pattern, strict, template, templates, text } from './vocabulary.ts'
import { recordEvents } from './webhooks.ts'

const StreamTopic = Type.Object(
  {
    match: Type.Optional(
      Type.String({
        maxLength: 500,
        format: 'capture',
        description: 'Pattern of the object’s name, with a group `(?<result>…)`. Default: any object.',
      }),
    ),
    topic: template('Name of the topic: a template of `object`, and of `result` with `match`.'),
  },
  { ...strict, description: 'The topic of an object.' },
)

const StreamEvent = Type.Object(
  {
    name: path('The provider’s name of the event.'),
    ids: path('List of the ids of the changed records. Each makes a separate event.'),
    idPattern: Type.Optional(pattern('Pattern of a whole id. For another id, Mortise reads the object.')),
    time: Type.Optional(path('Time of the event: RFC 3339, or seconds or milliseconds since 1970.')),
    fieldsUpdated: Type.Optional(path('List of the changed fields. Bitmaps of Salesforce become names.')),
    record: Type.Optional(path('The complete record, where events contain it. Otherwise Mortise reads it.')),
  },
  { ...strict, description: 'Where the parts of a decoded event are.' },
)

/** Changes that arrive on a connection that Mortise opens. */
export const EventStream = Type.Object(
  {
    protocol: choice(['pubSub'], 'Protocol. `pubSub`: the Pub/Sub API of Salesforce (gRPC, Avro).'),
    host: Type.String({
      pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?:[0-9]{1,5}$',
      maxLength: 260,
      description: 'Host and port of the service, such as `api.example.com:7443`. Mortise connects with TLS.',
    }),
    lookups: Type.Optional(Type.Array(Lookup, { maxItems: 5, description: 'Values to request first.' })),
    headers: templates('Headers of each call, with the results of `lookups` and `accessToken`.'),
    topics: Type.Array(StreamTopic, {
      minItems: 1,
      maxItems: 20,
      description: 'Topics by object. The first that matches is used. Without one, there are no subscriptions.',
    }),
    scopes: neededScopes('OAuth scopes that every subscription needs.'),
    refused: Type.Optional(text('What people should do if the provider refuses the topic of an object.')),
    event: StreamEvent,
    missed: Type.Optional(
      Type.Array(name('Event name.'), {
        description: 'Events that mean: changes were not sent. Mortise reads the object.',
      }),
    ),
    events: Type.Object(recordEvents, { ...strict, description: 'What the events of every object mean.' }),
  },
  {
    ...strict,
    description:
      'Changes that arrive on a connection that Mortise opens, instead of `webhooks`. It continues after the last stored event.',
  },
)
export type EventStream = Static<typeof EventStream>
