import { type Static, Type } from 'typebox'
import { listing } from './listing.ts'
import { LookupUnless, lookedUp } from './lookups.ts'
import { request } from './request.ts'
import { neededScopes } from './scopes.ts'
import { choice, condition, map, name, path, pathOrPaths, paths, strict, template } from './vocabulary.ts'
import { Verification } from './webhook-verification.ts'

const location = (description: string) => Type.String({ description, maxLength: 500, format: 'place' })
const handshakeLocation = (description: string) =>
  Type.String({ description, maxLength: 500, format: 'handshake-location' })
const locationOrLocations = (description: string) =>
  Type.Unsafe<string | string[]>({
    type: ['string', 'array'],
    maxLength: 500,
    format: 'place',
    items: { type: 'string', maxLength: 500, format: 'place' },
    minItems: 2,
    description,
  })
const recordId = (description: string) =>
  Type.Array(locationOrLocations('A location, or the locations of a composite id.'), { minItems: 1, description })
const eventNames = (description: string) => Type.Optional(Type.Array(template('Event name.'), { description }))
const seconds = (description: string) => Type.Integer({ minimum: 1, maximum: 10_000_000, description })

export const HookRequest = Type.Object(
  {
    ...request,
    method: Type.Optional(
      choice(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], 'Default: `POST`, and `DELETE` for `delete`.'),
    ),
  },
  {
    ...strict,
    description:
      'A request about one registration. Its variables: `url` (receives events), `secret` (generated), `events` (names), `objects` (their `set`, for `$each`). Also `event` and `object` (with `per`), `parent` (with `each`), `registration` (our id, the same for each attempt), `uuid` (new for each request), `id` (the provider’s), and the results of `lookups`. With a lifetime: `expireTime` (RFC 3339), `expireTimeMs` (since 1970). `app.NAME` is a value of `metadata.providerParams` of the provider app that is not secret.',
  },
)
export type HookRequest = Static<typeof HookRequest>

const hookRequest = (description: string) => Type.Object(HookRequest.properties, { ...strict, description })

const ScopeSelection = Type.Object(
  {
    ...listing,
    only: Type.Optional(condition('Items to register. Default: all.')),
    keep: map(
      path('Path of the value in the item.'),
      'Values of each item, by name: `{{parent.name}}`. Together, they identify it.',
    ),
  },
  {
    ...strict,
    description:
      'Registers every item of this list, such as every repository. Mortise reads it every day. It skips items that refuse (403, 404), unless all do.',
  },
)
export type ScopeSelection = Static<typeof ScopeSelection>

export const Registration = Type.Object(
  {
    per: choice(
      ['installation', 'object', 'event'],
      'What one registration covers: the `installation`, one `object`, or one `event` of one object.',
    ),
    each: Type.Optional(ScopeSelection),
    lookups: Type.Optional(Type.Array(LookupUnless, { maxItems: 5, description: 'Values to request first.' })),
    create: hookRequest('Registers a webhook.'),
    id: Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      maxLength: 500,
      format: 'place',
      items: { type: 'string', maxLength: 500, format: 'path' },
      minItems: 2,
      description:
        'The registration’s id: a path in the response, or `header:` and a header name. Of several paths, `{{id.name}}` reads one.',
    }),
    confirm: Type.Optional(hookRequest('Follows `create`, and activates the webhook or returns its secret.')),
    secret: Type.Optional(path('Path of the secret or public key, in the response to `confirm` or `create`.')),
    expires: Type.Optional(path('Path of the expiry time: RFC 3339, or seconds or milliseconds since 1970.')),
    lifetimeSeconds: Type.Optional(seconds('Lifetime in seconds, where no response has the expiry time.')),
    renewAfterSeconds: Type.Optional(
      seconds('Seconds from one renewal to the next. Default: a little less than four fifths of the lifetime.'),
    ),
    renew: Type.Optional(hookRequest('Extends a registration. Default: a new one replaces it.')),
    disable: Type.Optional(hookRequest('Precedes `delete`.')),
    delete: Type.Optional(hookRequest('Removes a webhook.')),
  },
  {
    ...strict,
    description:
      'Registers webhooks with the provider’s API. Without it, you enter the URL at the provider. If `renew` finds that a registration no longer exists (404), Mortise registers again.',
  },
)
export type Registration = Static<typeof Registration>

const Visit = Type.Object(
  {
    at: path('Path of the URL in the payload.'),
    hosts: Type.Array(Type.String({ maxLength: 253, format: 'host-pattern' }), {
      minItems: 1,
      maxItems: 20,
      description: 'Hosts that the URL may name, as those of a certificate.',
    }),
  },
  {
    ...strict,
    description:
      'With a signed request: a URL that confirms the subscription. Mortise requests it by GET and https, without redirects and credential.',
  },
)
export type Visit = Static<typeof Visit>

export const Handshake = Type.Object(
  {
    when: Type.Optional(condition('What identifies the request: values of its payload.')),
    method: Type.Optional(choice(['GET', 'POST'], 'HTTP method. `GET` includes `HEAD`. Default: `POST`.')),
    signed: Type.Optional(
      Type.Boolean({
        description:
          'Whether the provider signs the request. Default: true. Mortise stores nothing of an unsigned one.',
      }),
    ),
    answer: Type.Optional(
      handshakeLocation(
        'The text to respond with: a path in the payload, `header:` and a header name, or `query:` and a parameter. Without it, the request is not this handshake.',
      ),
    ),
    json: Type.Optional(
      Type.Unknown({
        description:
          'JSON to respond with: templates of `answer` and `hmac`, the text and its HMAC in hexadecimal digits, by the key and algorithm of `verify`.',
      }),
    ),
    header: Type.Optional(name('Response header that repeats the text, where the body is empty.')),
    visit: Type.Optional(Visit),
    token: Type.Optional(
      Type.Object(
        {
          at: handshakeLocation('Location of the token, as of `answer`.'),
          name: name('Its name in `metadata.providerParams` of the provider app.'),
        },
        {
          ...strict,
          description:
            'A secret of yours in an unsigned request, such as `hub.verify_token` of Meta. Others are refused.',
        },
      ),
    ),
    secret: Type.Optional(
      path(
        'Path of a secret that the provider sends before it signs anything. Mortise only shows it, for a day, to those who manage the app: they enter it at the provider and in the provider app.',
      ),
    ),
  },
  {
    ...strict,
    description:
      'A request that checks whether the URL responds. It has `answer`, `secret` or `visit`; an unsigned one may have neither, for an empty response.',
  },
)
export type Handshake = Static<typeof Handshake>

const objectOf = (description: string) =>
  Type.Object(
    {
      path: pathOrPaths('Path of the provider’s name; of several, the first with a value is used.'),
      map: map(Type.String(), 'Object name by the provider’s name.'),
    },
    { ...strict, description },
  )

export const EventParts = Type.Object(
  {
    list: Type.Optional(
      pathOrPaths(
        'Path of the list of events. Of lists in lists, the paths from the outside in: `[entry, changes]`. Default: the payload is one event or a list.',
      ),
    ),
    textsAs: Type.Optional(
      name('The list has texts, such as ids of accounts. Each becomes an event with the text under this key.'),
    ),
    split: Type.Optional(
      paths(
        'Paths of lists in an event, such as `value.messages`. Each item is a separate event, a copy with it alone.',
      ),
    ),
    encoded: Type.Optional(path('Path of a text that is the events as JSON. Locations are in this JSON.')),
    encodedAs: Type.Optional(choice(['base64', 'json'], 'Format of the text at `encoded`. Default: `base64`.')),
    name: Type.Optional(
      locationOrLocations('The provider’s name of the event. Several locations are joined with dots: `issues.opened`.'),
    ),
    variants: Type.Optional(
      Type.Array(
        Type.Object(
          {
            of: Type.Array(name('Name of an event.'), {
              minItems: 1,
              description: 'Names of events, as the provider sends them.',
            }),
            when: condition('Content of the event.'),
            as: name('What follows the name of the event, after a dot.'),
          },
          { ...strict, description: 'Events of a name that mean something else.' },
        ),
        {
          minItems: 1,
          description:
            'Events that differ from others of their name. The first variant that fits makes `NAME.AS` of the name, such as `meeting.deleted.occurrence`.',
        },
      ),
    ),
    named: Type.Optional(name('Name of every event, where the provider sends none. An event has `name` or `named`.')),
    id: Type.Optional(
      recordId(
        'The record’s id. The first location with a value is used. Where the id of reads has several parts, a list within the list has the location of each: `[[repo.owner, repo.name, number]]`. Events that are `changed` need none.',
      ),
    ),
    object: Type.Optional(
      objectOf('The object of the event, where events of several objects share a name. Others are dropped.'),
    ),
    time: Type.Optional(location('Time of the event: RFC 3339, or seconds or milliseconds since 1970.')),
    key: Type.Optional(
      Type.Array(location('A location.'), {
        minItems: 1,
        description: 'What identifies an event, so that a repeated one is dropped. Default: its whole content.',
      }),
    ),
    keepRepeated: Type.Optional(
      Type.Boolean({
        description: 'Events with the same content are different events. One that is sent again then arrives again.',
      }),
    ),
    record: Type.Optional(path('The current record, where events contain it. Otherwise Mortise reads it.')),
    fieldsUpdated: Type.Optional(path('The changed fields: a name, a list of names, or an object.')),
    merged: Type.Optional(
      paths(
        'Paths of ids, or of lists of them, that took part in a merge. Each one but that of the event makes an event `NAME.merged`, to list under `delete`.',
      ),
    ),
  },
  {
    ...strict,
    description:
      'Where the parts of an event are. A location is a path in the event, `payload:` and a path in the payload, `outer:` and a path in the (innermost) item that contains the event, or `header:` and a header name.',
  },
)
export type EventParts = Static<typeof EventParts>

const recordChanged = 'Events that mean: a record was created, updated, deleted, or linked or unlinked (`association`).'

export const recordEvents = {
  create: eventNames(recordChanged),
  update: eventNames(recordChanged),
  delete: eventNames(recordChanged),
}

const objectEvents = {
  ...recordEvents,
  association: eventNames(recordChanged),
  changed: eventNames(
    'Events that say only that records changed: Mortise reads the object. It needs `incremental`, and a schedule in the manifest.',
  ),
}

export const ObjectEvents = Type.Object(
  {
    set: Type.Optional(map(Type.String(), 'Variables for the registration requests.')),
    lifetimeSeconds: Type.Optional(seconds('With `per: object`: the lifetime of its registration.')),
    once: Type.Optional(
      Type.Boolean({ description: 'With `each`: one registration of this object, and not one for every item.' }),
    ),
    id: Type.Optional(recordId('The record’s id in these events, if it differs from `event`.')),
    idAs: Type.Optional(template('Template that turns the event’s `{{id}}` into the id that reads use.')),
    record: Type.Optional(path('Path of the complete record in these events, if it differs from `event`.')),
    ...objectEvents,
  },
  { ...strict, description: 'The events of an object. The variable `object` is its name.' },
)
export type ObjectEvents = Static<typeof ObjectEvents>

const Association = Type.Object(
  {
    from: path('Paths of the ids of the two records.'),
    to: path('Paths of the ids of the two records.'),
    toObject: Type.Optional(objectOf('Object of the other record.')),
  },
  { ...strict, description: 'The two records of an event about a link.' },
)

export const Lifecycle = Type.Object(
  {
    name: location('The provider’s name of the notification.'),
    renew: eventNames('Notifications that ask for a renewal.'),
    lost: eventNames('The registration no longer exists. Mortise registers again, and reads its scheduled objects.'),
    missed: eventNames('Notifications that events were not sent. Mortise reads the objects.'),
  },
  {
    ...strict,
    description: 'Notifications about a registration, which arrive like events.',
  },
)
export type Lifecycle = Static<typeof Lifecycle>

export const Webhooks = Type.Object(
  {
    endpoint: choice(
      ['installation', 'app'],
      'Which URL receives events: one per `installation`, or one per integration (`app`).',
    ),
    account: Type.Optional(
      Type.Object(
        {
          at: location('The account in an event.'),
          is: Type.Optional(template('The same value for a connection, as a template.')),
          lookup: Type.Optional(
            Type.Object(
              { ...request, value: path(lookedUp) },
              { ...strict, description: 'The request for the same value, where no variable has it.' },
            ),
          ),
        },
        {
          ...strict,
          description: 'With `endpoint: app`: the installations of an event. It has `is` or `lookup`.',
        },
      ),
    ),
    scopes: neededScopes('OAuth scopes that every subscription needs.'),
    registration: Type.Optional(Registration),
    verify: Verification,
    handshake: Type.Optional(
      Type.Array(Handshake, { description: 'Requests to respond to without storing an event.' }),
    ),
    lifecycle: Type.Optional(Lifecycle),
    event: EventParts,
    association: Type.Optional(Association),
    objects: Type.Optional(map(ObjectEvents, 'Objects with events, by name.')),
    otherObjects: Type.Optional(ObjectEvents),
  },
  { ...strict, description: 'How to subscribe to changes, and how to read the provider’s events.' },
)
export type Webhooks = Static<typeof Webhooks>

/** What events say, however they arrive. */
export type EventSource = Pick<Webhooks, 'association' | 'objects' | 'otherObjects' | 'scopes'> & {
  event: Pick<EventParts, 'record'>
}
