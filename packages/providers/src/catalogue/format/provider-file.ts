import { type Static, Type } from 'typebox'
import { providerErrorClasses } from '../../answer-table.ts'
import type { Pattern } from '../../interpreter/pattern.ts'
import { Authentication } from './authentication.ts'
import { FieldSource } from './field-sources.ts'
import { AppMetadata, FurtherVariable, PostAuthentication } from './further-values.ts'
import { MakeFields } from './make-fields.ts'
import { MetadataInput } from './metadata-input.ts'
import { Read, SearchChanges } from './read.ts'
import { ReadByIds } from './read-by-ids.ts'
import { HealthCheck } from './request.ts'
import { DeclaredSupport, SubscribeRequirements } from './support.ts'
import { choice, Match, map, name, path, paths, strict, template, templates, text } from './vocabulary.ts'
import { Webhooks } from './webhooks.ts'
import { Window } from './window.ts'
import { Get, RefusalList, Write, writeOutlines } from './write.ts'

/** Found by Mortise itself, never told by a status or a rule. */
const foundByUs: readonly string[] = ['endless_pages']
const ruledClasses = providerErrorClasses.filter((name) => !foundByUs.includes(name))

const objectParts = {
  displayName: Type.Optional(text('Label of the object; its name when absent.')),
  like: Type.Optional(
    name('Name of a template under `templates` that this completes. Objects are merged, lists replaced, null removes.'),
  ),
  set: Type.Optional(map(Type.String(), 'Variables of this object, for its template’s requests.')),
  incremental: Type.Optional(Window),
  searchBy: Type.Optional(
    map(
      name('The provider’s word for it.'),
      'Fields that a search takes, and what the provider calls each there: `{{item.parameter}}`. Without this, a search takes any; with it, another field is refused instead of being ignored by the provider.',
    ),
  ),
  searchByType: Type.Optional(
    map(
      name('The provider’s word for it.'),
      'The same for fields that only the account knows, by `providerType`: a search takes those of these types, under the name that the provider writes, with `{{item.type}}` and `{{item.parameter}}`.',
    ),
  ),
  searchFinds: Type.Optional(
    choice(
      ['records', 'ids', 'similar'],
      'What the provider answers to a search: `records` as reads have them (default); `ids` of records, each of which is then read by its id, because it has less or other fields there; `similar` records, too, of which those with other values are left out.',
    ),
  ),
  fields: Type.Optional(
    Type.Array(FieldSource, {
      description: 'Sources of the object’s fields, in order; later ones complete earlier ones.',
    }),
  ),
  makeFields: Type.Optional(MakeFields),
}

/** Checked in full after `like` is resolved; here only its outline. */
export const ObjectOutline = Type.Object(
  {
    ...objectParts,
    incremental: Type.Optional(Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] })),
    fields: Type.Optional(Type.Unsafe<unknown[]>({ type: 'array' })),
    makeFields: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
    read: Type.Optional(Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] })),
    search: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
    readByIds: Type.Optional(Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] })),
    ...writeOutlines,
  },
  strict,
)

export const ProviderObject = Type.Object(
  {
    ...objectParts,
    read: Type.Optional(Read),
    search: Type.Optional(SearchChanges),
    write: Type.Optional(Write),
    get: Type.Optional(Get),
    readByIds: Type.Optional(ReadByIds),
  },
  {
    ...strict,
    description:
      'An object of the provider, and what can be done with it: at least one of `read`, `write` and `get`. What can only be written has no `read`.',
  },
)
export type ProviderObject = Static<typeof ProviderObject>

/** An object whose records can be listed. */
export type ReadObject = ProviderObject & { read: Read }

export function isReadObject(object: ProviderObject | undefined): object is ReadObject {
  return object?.read !== undefined
}

const support = Type.Optional(DeclaredSupport)
const subscribeRequirements = Type.Optional(SubscribeRequirements)

const OtherObjects = Type.Array(
  Type.Object(
    {
      match: text(
        'Regular expression in RE2 syntax (no look-around, no backreferences) that the whole object name must match.',
      ),
      like: name('Template that such an object follows; its name is the variable `object`.'),
    },
    strict,
  ),
  { description: 'Objects that are not listed by name, such as the customer’s own.' },
)

const anyCase = Type.Optional(
  Type.Boolean({
    description:
      'The provider does not tell names of objects apart by case: they are found in any. `{{object}}` is the name as it was asked for.',
  }),
)

export const ProviderModule = Type.Object(
  {
    displayName: Type.Optional(text('Label.')),
    baseUrl: Type.Optional(template('Base URL of the module for the proxy.')),
    apiUrl: Type.Optional(
      template('What object paths of this module are joined to; the provider’s `baseUrl` when absent.'),
    ),
    support,
    subscribeRequirements,
    objects: Type.Optional(map(ObjectOutline, 'Objects of the module, by name.')),
    otherObjects: Type.Optional(OtherObjects),
    anyCase,
  },
  { ...strict, description: 'A part of the provider with objects of its own.' },
)

const ErrorRule = Type.Object(
  {
    status: Type.Optional(
      Type.Integer({ minimum: 200, maximum: 599, description: 'Status of the answer; any when absent.' }),
    ),
    when: Type.Optional(Match),
    headers: Type.Optional(
      map(
        Type.Unsafe<string | string[] | { present: boolean }>({
          type: ['string', 'array', 'object'],
          items: { type: 'string' },
          properties: { present: { type: 'boolean' } },
          required: ['present'],
          additionalProperties: false,
        }),
        'Response headers and the value each must have: one, a list of which one must fit, or `{present: true}`. All must fit.',
      ),
    ),
    is: choice(ruledClasses, 'Class of the error.'),
  },
  strict,
)

export const ErrorTable = Type.Object(
  {
    message: Type.Optional(paths('Paths of the provider’s message; the first that holds a text wins.')),
    details: Type.Optional(
      Type.Array(RefusalList, {
        description:
          'Lists of the single things that are wrong; the first with any wins. `errors`, `error.errors`, `error.details`, `details` and an answer that is a list itself need not be declared.',
      }),
    ),
    rules: Type.Optional(
      Type.Array(ErrorRule, {
        description:
          'The first that fits decides, before the status does. A rule that fits an answer of status 2xx makes it an error.',
      }),
    ),
    retryAfterHeaders: Type.Optional(
      map(
        choice(['seconds', 'milliseconds', 'unix', 'unixMs'], 'How the value is written.'),
        'Headers besides `Retry-After` that say when to come back, by name: in `seconds` or `milliseconds` from now, or at a time since 1970 in seconds (`unix`) or milliseconds (`unixMs`).',
      ),
    ),
  },
  { ...strict, description: 'What answers mean.' },
)
export type ErrorTable = Static<typeof ErrorTable>

export const RateLimit = Type.Object(
  {
    requests: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Requests that the provider takes.' }),
    perSeconds: Type.Integer({ minimum: 1, maximum: 86_400, description: 'In so many seconds.' }),
    per: choice(['connection', 'app'], 'Whether the provider counts each account alone, or all of an app together.'),
    for: Type.Optional(
      choice(
        ['read', 'write'],
        'Requests that are counted; all when absent. By their methods, from wherever they come: GET and HEAD are reads, everything else is a write.',
      ),
    ),
  },
  {
    ...strict,
    description:
      'Requests that are sent at most, by reads, writes, the proxy and whatever else, over all nodes; more wait. Only as the provider says.',
  },
)
export type RateLimit = Static<typeof RateLimit>

/** One limit, or several that hold at once. */
const RateLimits = Type.Unsafe<RateLimit | RateLimit[]>({
  ...RateLimit,
  type: ['object', 'array'],
  items: RateLimit,
  minItems: 1,
  maxItems: 8,
  description: 'A limit on requests, or a list of limits that hold at once.',
})

/** A provider file as it is written. */
export const ProviderFileOutline = Type.Object(
  {
    name: Type.String({
      description: 'Name of the provider in manifests; the file is named after it.',
      pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$',
    }),
    displayName: Type.Optional(text('Label of the provider.')),
    docsUrl: Type.Optional(text('The provider’s API documentation.')),
    baseUrl: Type.Optional(
      template('Base URL: `https://` and a host, with variables from the inputs; or one `url` input and a path.'),
    ),
    authentication: Type.Optional(
      Type.Array(Authentication, {
        minItems: 1,
        description: 'How a connection may authenticate, in order of preference.',
      }),
    ),
    inputs: Type.Optional(
      Type.Array(MetadataInput, { description: 'What each customer gives besides the credential.' }),
    ),
    healthCheck: Type.Optional(HealthCheck),
    headers: Type.Optional(templates('Headers of every request: templates.')),
    errors: Type.Optional(ErrorTable),
    rateLimit: Type.Optional(RateLimits),
    support,
    subscribeRequirements,
    postAuthInfoNeeded: Type.Optional(
      Type.Boolean({ description: 'More has to be asked from the provider after authentication.' }),
    ),
    postAuthentication: Type.Optional(
      Type.Array(PostAuthentication, { description: 'What comes from the provider after authentication.' }),
    ),
    variables: Type.Optional(
      Type.Array(FurtherVariable, { description: 'Variables of templates that come from elsewhere.' }),
    ),
    placeholders: Type.Optional(
      Type.Array(path('Path of the value.'), {
        description:
          'Values of this file that only hold a place, because the right ones are not known: no request is made with them.',
      }),
    ),
    appMetadata: Type.Optional(AppMetadata),
    labels: Type.Optional(map(Type.String(), 'Labels, by name.')),
    defaultModule: Type.Optional(
      name('Module that is used when a manifest names none; `root` where there are no modules.'),
    ),
    modules: Type.Optional(map(ProviderModule, 'Modules, by id.')),
    templates: Type.Optional(map(ObjectOutline, 'Object templates that `like` refers to, by name.')),
    objects: Type.Optional(map(ObjectOutline, 'Objects of a provider without modules, by name.')),
    otherObjects: Type.Optional(OtherObjects),
    anyCase,
    objectsOf: Type.Optional(
      name(
        'Name of another provider whose objects, templates and errors are those of this one, too: another way into the same API. A module has those of the module of its name. What stands here goes before.',
      ),
    ),
    webhooks: Type.Optional(Webhooks),
  },
  { ...strict, title: 'Provider file' },
)
export type ProviderFileOutline = Static<typeof ProviderFileOutline>

/** The objects of one module, `like` resolved. */
export interface ObjectSet {
  objects: Map<string, ProviderObject>
  others: { match: Pattern; object: ProviderObject }[]
  /** The objects by their names in small letters, where case does not count. */
  anyCase?: Map<string, ProviderObject>
  /** Template that object paths are joined to, where it is not the provider's base URL. */
  apiUrl?: string
}

/** A provider file that passed every check. The set of a provider without modules has the key `''`. */
export interface ProviderFile {
  path: string
  errors: ErrorTable
  headers: Record<string, string>
  sets: Map<string, ObjectSet>
  webhooks?: Webhooks
}
