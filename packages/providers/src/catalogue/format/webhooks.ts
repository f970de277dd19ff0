import { type Static, Type } from 'typebox'
import { listing } from './listing.ts'
import { request } from './request.ts'
import { choice, Match, map, name, path, pathOrPaths, strict, tagged, template, text } from './vocabulary.ts'

const place = (description: string) => Type.String({ description, maxLength: 500, format: 'place' })
const placeOrPlaces = (description: string) =>
  Type.Unsafe<string | string[]>({
    type: ['string', 'array'],
    maxLength: 500,
    format: 'place',
    items: { type: 'string', maxLength: 500, format: 'place' },
    minItems: 2,
    description,
  })
const recordId = (description: string) =>
  Type.Array(placeOrPlaces('One place, or those of the parts of an id of several.'), { minItems: 1, description })
const eventNames = (description: string) => Type.Optional(Type.Array(template('One name.'), { description }))
const seconds = (description: string) => Type.Integer({ minimum: 1, maximum: 10_000_000, description })

const hookRequest = (method: 'POST' | 'DELETE') =>
  Type.Object(
    {
      ...request,
      method: Type.Optional(
        choice(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], `HTTP method; \`${method}\` when absent.`),
      ),
      encoding: Type.Optional(choice(['json', 'form'], 'How the body is written; `json` when absent.')),
    },
    {
      ...strict,
      description:
        'A request about one registration. Its variables: `url` (where events come to), `secret` (one of ours), `events` (all names), `objects` (what is wanted to be told of: the variables that their `set` gives, for `$each`), `event` and `object` (where there is one registration for each), `parent` (with `each`), `registration` (our id of it, the same when it is tried again), `id` (the provider’s id of it), what `lookups` found, and those of the connection.',
    },
  )
const HookRequest = hookRequest('POST')
export type HookRequest = Static<typeof HookRequest>

const Lookup = Type.Object(
  {
    name: name('Name of the variable.'),
    ...request,
    value: path('Path of the value in the answer.'),
  },
  { ...strict, description: 'A value that is asked for before registering.' },
)

const Places = Type.Object(
  {
    ...listing,
    only: Type.Optional(Match),
    keep: map(
      path('Path of the value in the item.'),
      'What is kept of each, by name: together it tells one from all others, and is `{{parent.name}}` in requests.',
    ),
  },
  {
    ...strict,
    description:
      'Places that are registered each by itself, such as every repository: the items of this list. It is asked for again every day; one that refuses (403, 404) is passed over as long as another does not.',
  },
)
export type Places = Static<typeof Places>

export const Registration = Type.Object(
  {
    per: choice(
      ['installation', 'object', 'event'],
      'What is registered by itself: everything together, each object, or each event of each object.',
    ),
    each: Type.Optional(Places),
    lookups: Type.Optional(Type.Array(Lookup, { maxItems: 5, description: 'Values to ask for first, in order.' })),
    create: HookRequest,
    id: path('Path of the registration’s id in the answer.'),
    secret: Type.Optional(path('Path of the secret that its events are signed with.')),
    expires: Type.Optional(path('Path of the time when it ends: RFC 3339, or seconds or milliseconds since 1970.')),
    lifetimeSeconds: Type.Optional(seconds('How long it lasts, where the answer does not say.')),
    renew: Type.Optional(HookRequest),
    delete: Type.Optional(hookRequest('DELETE')),
  },
  {
    ...strict,
    description:
      'How events are asked for through the provider’s API; without it somebody enters our URL at the provider. One that ends is renewed when four fifths of its life are over: by `renew`, or by a new one in its place.',
  },
)
export type Registration = Static<typeof Registration>

const Secret = Type.Object(
  {
    from: choice(
      ['answer', 'generated', 'app'],
      '`answer`: the one that the registration’s answer held. `generated`: one of ours, sent along as `{{secret}}`. `app`: the one of the builder’s provider app.',
    ),
    name: Type.Optional(name('With `app`: a value of its `metadata.providerParams`; the client secret when absent.')),
    encoding: Type.Optional(choice(['text', 'base64', 'hex'], 'How the key’s bytes are written; `text` when absent.')),
  },
  { ...strict, description: 'Where the key comes from.' },
)

const Timestamp = Type.Object(
  {
    header: name('Header that holds it.'),
    field: Type.Optional(name('Its name, where the header holds pairs such as `t=1,v1=…`.')),
    unit: choice(['seconds', 'milliseconds'], 'Since 1970.'),
    toleranceSeconds: seconds('How far it may be from now; anything else was played back.'),
  },
  { ...strict, description: 'When the request was signed.' },
)

const PublicKey = Type.Object(
  {
    from: choice(
      ['app', 'connection'],
      '`app`: a value of the builder’s provider app, where one key signs for all accounts. `connection`: a value of the connection, where each account has a key of its own, which counts for no other.',
    ),
    name: name(
      'Name of the value, in `metadata.providerParams` of the app or in `providerMetadata` of the connection. It holds public keys as PEM, up to eight, or one in base64 alone.',
    ),
  },
  { ...strict, description: 'Where the public key comes from (RSA, 2048 bits or more).' },
)

const BodyDigest = Type.Object(
  {
    claim: name('Claim that holds it.'),
    algorithm: choice(['sha256', 'sha512'], 'Its hash.'),
    encoding: choice(['hex', 'base64'], 'How it is written.'),
  },
  { ...strict, description: 'The digest of the body: without it, a token would do for any body.' },
)

export const Verification = tagged(
  'by',
  [
    Type.Object(
      {
        by: Type.Unsafe<'hmac'>({ const: 'hmac', description: 'An HMAC over the request (RFC 2104).' }),
        algorithm: choice(['sha1', 'sha256', 'sha512'], 'Its hash.'),
        encoding: choice(['hex', 'base64'], 'How it is written.'),
        header: name('Header that holds it.'),
        prefix: Type.Optional(text('What stands before it, such as `sha256=`.')),
        field: Type.Optional(
          name(
            'Its name, where the header holds pairs joined by commas, such as `t=1,v1=…`; it may stand there several times.',
          ),
        ),
        signedText: Type.Optional(
          template(
            'What is signed: a template of `body`, `timestamp` (as it was sent), `method` and `url`; `{{body}}` when absent.',
          ),
        ),
        timestamp: Type.Optional(Timestamp),
        secret: Secret,
      },
      { ...strict, title: 'hmac' },
    ),
    Type.Object(
      {
        by: Type.Unsafe<'token'>({ const: 'token', description: 'The secret itself, in a header.' }),
        header: name('Header that holds it.'),
        prefix: Type.Optional(text('What stands before it.')),
        secret: Secret,
      },
      { ...strict, title: 'token' },
    ),
    Type.Object(
      {
        by: Type.Unsafe<'jwt'>({
          const: 'jwt',
          description:
            'A JSON Web Token (RFC 7519) that says what the request is, signed with a private key of the provider. It has to have `exp`.',
        }),
        algorithm: choice(['RS256'], 'How it is signed; one that says otherwise is refused.'),
        header: name('Header that holds it; `Bearer` may stand before it.'),
        bodyDigest: BodyDigest,
        urlClaim: Type.Optional(
          name('Claim that holds the URL that the request was sent to: it must be the one that it came to.'),
        ),
        toleranceSeconds: seconds('How far the clocks may be apart when it ends.'),
        key: PublicKey,
      },
      { ...strict, title: 'jwt' },
    ),
  ],
  'How a request is known to come from the provider. What does not pass is refused and not looked at.',
)
export type Verification = Static<typeof Verification>

/** Where what verifies the requests comes from. */
export function keySource(verification: Verification): Static<typeof Secret> | Static<typeof PublicKey> {
  return verification.by === 'jwt' ? verification.key : verification.secret
}

const Handshake = Type.Object(
  {
    when: Match,
    answer: Type.Optional(path('Path of the text in the payload that is answered.')),
    secret: Type.Optional(
      path(
        'Path of the secret that events will be signed with, where the provider makes it and sends it here before it signs anything. It is not believed: who manages the app is shown it for a day, and enters it at the provider and in the provider app.',
      ),
    ),
  },
  { ...strict, description: 'A request that only asks whether somebody listens. One of `answer` and `secret`.' },
)

const objectOf = (description: string) =>
  Type.Object(
    {
      path: pathOrPaths('Where it stands; of several paths, the first that leads to something counts.'),
      map: map(Type.String(), 'Names of objects by what stands there.'),
    },
    { ...strict, description },
  )

export const EventParts = Type.Object(
  {
    list: Type.Optional(path('Path of the list of events; without it the payload is one event, or a list of them.')),
    name: Type.Optional(
      placeOrPlaces(
        'The provider’s name of what happened; of several places, what is there is joined by dots: `issues.opened`.',
      ),
    ),
    named: Type.Optional(name('The name of every event, where the provider gives none. One of `name` and `named`.')),
    id: recordId('The record’s id; the first that is there.'),
    object: Type.Optional(
      objectOf(
        'The object that the event is about, where the events of several objects share a name. An event of such a name that names no object is dropped.',
      ),
    ),
    time: Type.Optional(place('When it happened: RFC 3339, or seconds or milliseconds since 1970.')),
    key: Type.Optional(
      Type.Array(place('One place.'), {
        minItems: 1,
        description:
          'What together tells an event from all others: one that comes again is dropped. Without it, its whole content.',
      }),
    ),
    record: Type.Optional(path('The record as it is now, where the event holds it whole; otherwise it is read.')),
    fieldsUpdated: Type.Optional(path('The fields that changed: a name, a list of names, or an object with them.')),
  },
  {
    ...strict,
    description:
      'Where the parts of an event are. A place is a path in the event, `payload:` and a path in the whole payload, or `header:` and the name of a header.',
  },
)
export type EventParts = Static<typeof EventParts>

const objectEvents = {
  create: eventNames('Names of events that say: a record was made.'),
  update: eventNames('Names of events that say: a record was changed.'),
  delete: eventNames('Names of events that say: a record was deleted.'),
  association: eventNames('Names of events that say: a record was linked with another one, or no longer is.'),
}

export const ObjectEvents = Type.Object(
  {
    set: Type.Optional(map(Type.String(), 'Variables for the requests of the registration.')),
    id: Type.Optional(recordId('The record’s id in these events, where it is elsewhere than in others.')),
    idAs: Type.Optional(
      template(
        'The id as reads write it, where events write it otherwise: a template of `{{id}}`, what was found there.',
      ),
    ),
    record: Type.Optional(path('Where these events hold the record whole, where not all do as `event` says.')),
    ...objectEvents,
  },
  { ...strict, description: 'The events of an object: templates with the variable `object`.' },
)
export type ObjectEvents = Static<typeof ObjectEvents>

const Association = Type.Object(
  {
    from: path('Id of the one record.'),
    to: path('Id of the other record.'),
    toObject: Type.Optional(objectOf('Object of the other record.')),
  },
  { ...strict, description: 'Where an event of links names its two records.' },
)

export const Webhooks = Type.Object(
  {
    endpoint: choice(
      ['installation', 'app'],
      'Where events come to: a URL for each installation, or one for all of an integration.',
    ),
    account: Type.Optional(
      Type.Object(
        {
          at: place('What names the account in an event.'),
          is: template('What stands there for a connection: a template of its values.'),
        },
        { ...strict, description: 'With `endpoint: app`: which installations an event is for.' },
      ),
    ),
    registration: Type.Optional(Registration),
    verify: Verification,
    handshake: Type.Optional(Type.Array(Handshake, { description: 'What is answered instead of being kept.' })),
    event: EventParts,
    association: Type.Optional(Association),
    objects: Type.Optional(map(ObjectEvents, 'Objects with events, by name.')),
    otherObjects: Type.Optional(ObjectEvents),
  },
  { ...strict, description: 'How changes are subscribed to, and how the provider tells of them.' },
)
export type Webhooks = Static<typeof Webhooks>
