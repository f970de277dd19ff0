import { type Static, Type } from 'typebox'
import { providerErrorClasses } from '../../error-classes.ts'
import type { Pattern } from '../../interpreter/pattern.ts'
import { Authentication } from './authentication.ts'
import { Connected } from './connected.ts'
import { CostLimit, headerTime } from './cost-limit.ts'
import { Deletions } from './deletions.ts'
import { FieldSource } from './field-sources.ts'
import { AppMetadata, FurtherVariable, PostAuthentication } from './further-values.ts'
import { MakeFields } from './make-fields.ts'
import { McpServer } from './mcp-server.ts'
import { MetadataInput } from './metadata-input.ts'
import { Read, ReadChanges, SearchChanges } from './read.ts'
import { ReadByIds } from './read-by-ids.ts'
import { HealthCheck } from './request.ts'
import { headersMeaning, ResponseMatch } from './responses.ts'
import { DeclaredScopes } from './scopes.ts'
import { EventStream } from './stream.ts'
import { SeeAlso, SubscribeRequirements, Undescribed } from './support.ts'
import { choice, map, matches, name, path, paths, pattern, strict, template, templates, text } from './vocabulary.ts'
import { Webhooks } from './webhooks.ts'
import { Window } from './window.ts'
import { Get, RefusalList, Write, writeOutlines } from './write.ts'

/** Found by Mortise itself, never by a status or a rule. */
const foundByUs: readonly string[] = ['endless_pages']
const ruledClasses = providerErrorClasses.filter((name) => !foundByUs.includes(name))

const objectParts = {
  displayName: Type.Optional(text('Label. Default: the name.')),
  like: Type.Optional(
    name('Template that this object completes. Objects are merged, lists replaced; null removes a key.'),
  ),
  set: Type.Optional(map(Type.String(), 'Variables for the template’s requests.')),
  scopes: Type.Optional(DeclaredScopes),
  incremental: Type.Optional(Window),
  deletions: Type.Optional(Deletions),
  listIds: Type.Optional(
    Type.Unsafe<object>({
      ...ReadChanges,
      description:
        'Changes to `read` for a list of ids, to find deletions that the provider does not report. `{{fields}}` is `fieldsAlways`.',
    }),
  ),
  searchBy: Type.Optional(
    map(
      name('The provider’s name.'),
      'Fields that a search accepts, with `{{item.parameter}}` of each. Default: any field.',
    ),
  ),
  searchByType: Type.Optional(
    map(name('The provider’s name.'), 'The same for custom fields, by `providerType` (`{{item.type}}`).'),
  ),
  searchFinds: Type.Optional(
    choice(
      ['records', 'ids', 'similar'],
      'What a search returns. `records` (default): the same as a read. `ids`: Mortise reads each record. `similar`: Mortise drops records with other values.',
    ),
  ),
  searchMax: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Largest number of conditions that a search accepts. Default: any.',
    }),
  ),
  fields: Type.Optional(
    Type.Array(FieldSource, {
      description: 'Sources of the object’s fields, in order. Later sources complete earlier ones.',
    }),
  ),
  makeFields: Type.Optional(MakeFields),
}

const objectMeaning = 'An object of the provider. It has `read`, `write` or `get`.'

/** Checked in full after `like` is resolved; here only its outline. */
export const ObjectOutline = Type.Object(
  {
    ...objectParts,
    scopes: Type.Optional(Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] })),
    incremental: Type.Optional(Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] })),
    deletions: Type.Optional(Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] })),
    listIds: Type.Optional(Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] })),
    fields: Type.Optional(Type.Unsafe<unknown[]>({ type: 'array' })),
    makeFields: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
    read: Type.Optional(Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] })),
    search: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
    readByIds: Type.Optional(Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] })),
    ...writeOutlines,
  },
  { ...strict, description: objectMeaning },
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
    description: objectMeaning,
  },
)
export type ProviderObject = Static<typeof ProviderObject>

/** An object whose records can be listed. */
export type ReadObject = ProviderObject & { read: Read }

export function isReadObject(object: ProviderObject | undefined): object is ReadObject {
  return object?.read !== undefined
}

const undescribed = Type.Optional(Undescribed)
const subscribeRequirements = Type.Optional(SubscribeRequirements)

const OtherObjects = Type.Array(
  Type.Object(
    {
      match: text(
        'Pattern (RE2) that the whole object name must match. Its groups are variables: `{{table}}` is what `(?<table>…)` finds.',
      ),
      like: name('Template of such an object. Its name is the variable `object`.'),
    },
    strict,
  ),
  { description: 'Objects that the file does not list by name, such as custom objects.' },
)

const anyCase = Type.Optional(
  Type.Boolean({
    description: 'Object names are case-insensitive. `{{object}}` is the name as requested.',
  }),
)

export const ProviderModule = Type.Object(
  {
    displayName: Type.Optional(text('Label.')),
    baseUrl: Type.Optional(template('Base URL of the module for the proxy.')),
    apiUrl: Type.Optional(template('Base URL of the module’s object paths. Default: the provider’s `baseUrl`.')),
    undescribed,
    subscribeRequirements,
    objects: Type.Optional(map(ObjectOutline, 'Objects of the module, by name.')),
    otherObjects: Type.Optional(OtherObjects),
    anyCase,
    webhooks: Type.Optional(Webhooks),
    stream: Type.Optional(EventStream),
  },
  {
    ...strict,
    description:
      'A part of the provider with its own objects. Its `webhooks` or `stream` replace those of the provider.',
  },
)

const ErrorRule = Type.Object(
  {
    ...ResponseMatch.properties,
    headers: Type.Optional(
      map(
        Type.Unsafe<string | string[] | { present: boolean } | { matches: string }>({
          type: ['string', 'array', 'object'],
          items: { type: 'string' },
          properties: { present: { type: 'boolean' }, matches },
          minProperties: 1,
          maxProperties: 1,
          additionalProperties: false,
        }),
        headersMeaning,
      ),
    ),
    is: choice(ruledClasses, 'Error class.'),
  },
  strict,
)

export const ErrorTable = Type.Object(
  {
    message: Type.Optional(paths('Paths of the provider’s message. The first with a text is used.')),
    details: Type.Optional(
      Type.Array(RefusalList, {
        description:
          'Lists of errors, of which the first is used that has one. Default: `errors`, `error.errors`, `error.details`, `details`, or the response.',
      }),
    ),
    rules: Type.Optional(
      Type.Array(ErrorRule, {
        description: 'The first rule that matches decides, before the status does, also for a 2xx response.',
      }),
    ),
    retryAfterHeaders: Type.Optional(
      map(
        headerTime,
        'Headers with the time to wait, besides `Retry-After`: `seconds` or `milliseconds` from now, `unix` (seconds since 1970), `unixMs`, or a `date` (HTTP, RFC 3339). Name `Retry-After` only if the provider has another format for it.',
      ),
    ),
    limitHeaders: Type.Optional(
      Type.Object(
        {
          remaining: name('Header with the number of requests that are left.'),
          reset: Type.Optional(name('Header with the time when the limit starts again.')),
          format: Type.Optional(headerTime),
          seconds: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 86_400,
              description: 'Seconds to wait, where no header has the time.',
            }),
          ),
        },
        {
          ...strict,
          description: 'Headers of every response that say how much of a limit is left. If nothing is, Mortise waits.',
        },
      ),
    ),
    costLimit: Type.Optional(CostLimit),
  },
  { ...strict, description: 'What error responses mean.' },
)
export type ErrorTable = Static<typeof ErrorTable>

export const RateLimit = Type.Object(
  {
    requests: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Number of requests that the provider accepts.',
    }),
    perSeconds: Type.Integer({ minimum: 1, maximum: 86_400, description: 'Period in seconds.' }),
    per: choice(['connection', 'app'], 'Whether the provider counts each account or all accounts of an app together.'),
    for: Type.Optional(
      choice(
        ['read', 'write'],
        'Requests to count. Default: all. `read`: GET, HEAD, and lists, searches and `get` by any method. `write`: all others. In the proxy, only the method counts.',
      ),
    ),
    path: Type.Optional(pattern('Pattern of any part of the paths to count, such as `/search$`. Default: all.')),
  },
  {
    ...strict,
    description: 'A limit on all requests of all nodes. Requests over the limit wait.',
  },
)
export type RateLimit = Static<typeof RateLimit>

/** One limit, or several that all apply. */
const RateLimits = Type.Unsafe<RateLimit | RateLimit[]>({
  ...RateLimit,
  type: ['object', 'array'],
  items: RateLimit,
  minItems: 1,
  maxItems: 8,
  description: 'One limit, or a list of limits that apply together.',
})

/** Parts of a file that can be compared with documentation. */
const documentedParts = [
  'authentication',
  'scopes',
  'objects',
  'paging',
  'windows',
  'deletions',
  'limits',
  'webhooks',
] as const

/** A provider file as it is written. */
export const ProviderFileOutline = Type.Object(
  {
    name: Type.String({
      description: 'Name of the provider in manifests, and of the file.',
      pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$',
    }),
    displayName: Type.Optional(text('Label of the provider.')),
    docsUrl: Type.Optional(text('The provider’s API documentation.')),
    seeAlso: Type.Optional(SeeAlso),
    confidence: Type.Optional(
      choice(
        ['agreed', 'single'],
        'How sure this file is. `agreed`: two independent sources agree. `single`: there is one. Remove it when you have compared `authentication` or `objects` with the provider’s documentation.',
      ),
    ),
    documented: Type.Optional(
      Type.Object(
        {
          date: Type.String({
            pattern: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$',
            description: 'Day of the comparison, such as `2026-11-26`.',
          }),
          parts: Type.Array(choice(documentedParts, 'A part of the file.'), {
            minItems: 1,
            description: 'What was compared. Everything else was not, or not lately.',
          }),
          absent: Type.Optional(
            Type.Array(choice(documentedParts, 'A part of the file.'), {
              minItems: 1,
              description:
                'What the API does not have, by this comparison: for example `deletions`, if nothing reports which records were deleted.',
            }),
          ),
          undocumented: Type.Optional(
            Type.Array(choice(documentedParts, 'A part of the file.'), {
              minItems: 1,
              description:
                'What no public documentation was found for, by this comparison: for example `limits`, if the provider shows them only to customers.',
            }),
          ),
        },
        {
          ...strict,
          description: 'Last comparison with the provider’s public documentation.',
        },
      ),
    ),
    connected: Type.Optional(Connected),
    baseUrl: Type.Optional(template('Base URL: `https://` and a host, with variables; or one `url` input and a path.')),
    authentication: Type.Optional(
      Type.Array(Authentication, {
        minItems: 1,
        description: 'Authentication methods, in order of preference.',
      }),
    ),
    inputs: Type.Optional(
      Type.Array(MetadataInput, { description: 'Values that each customer enters besides the credential.' }),
    ),
    healthCheck: Type.Optional(HealthCheck),
    headers: Type.Optional(templates('Headers of every request.')),
    errors: Type.Optional(ErrorTable),
    rateLimit: Type.Optional(RateLimits),
    undescribed,
    subscribeRequirements,
    postAuthInfoNeeded: Type.Optional(
      Type.Boolean({ description: 'The account needs more values after authentication.' }),
    ),
    postAuthentication: Type.Optional(
      Type.Array(PostAuthentication, { description: 'Values to read from the provider after authentication.' }),
    ),
    variables: Type.Optional(Type.Array(FurtherVariable, { description: 'Variables with other sources.' })),
    placeholders: Type.Optional(
      Type.Array(path('Path of the value.'), {
        description:
          'Values of this file that are not known or not confirmed. The proxy sends nothing to such a base URL.',
      }),
    ),
    appMetadata: Type.Optional(AppMetadata),
    labels: Type.Optional(map(Type.String(), 'Labels, by name.')),
    defaultModule: Type.Optional(name('Module of a manifest that names none. `root` without modules.')),
    modules: Type.Optional(map(ProviderModule, 'Modules, by id.')),
    templates: Type.Optional(map(ObjectOutline, 'Object templates for `like`, by name.')),
    objects: Type.Optional(map(ObjectOutline, 'Objects of a provider without modules, by name.')),
    otherObjects: Type.Optional(OtherObjects),
    anyCase,
    objectsOf: Type.Optional(
      name(
        'Name of a provider with the same API, whose objects, templates and errors this file uses, of modules by name. Its own keys take precedence.',
      ),
    ),
    webhooks: Type.Optional(Webhooks),
    stream: Type.Optional(EventStream),
    mcp: Type.Optional(McpServer),
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
  /** Those of the module, where it has its own. */
  webhooks?: Webhooks
  stream?: EventStream
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
  stream?: EventStream
}
