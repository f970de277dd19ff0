import Type, { type Static, type TSchema } from 'typebox'
import { valueTypes } from '../connector.ts'
import { providerErrorClasses } from '../provider-error.ts'

/*
 * Long on purpose: this is the format of a provider file, once: the JSON schema that checks it, the TypeScript types of it, and the reference in
 * docs/provider-files.md all come from these declarations.
 */

const strict = { additionalProperties: false } as const

function choice<const T extends readonly string[]>(values: T, description: string) {
  return Type.Unsafe<T[number]>({ enum: [...values], description })
}

/** One of several shapes, told apart by the value of one key, so that errors speak of the shape that was meant. */
function tagged<const T extends readonly TSchema[]>(key: string, shapes: T, description: string) {
  return Type.Unsafe<Static<T[number]>>({
    type: 'object',
    description,
    discriminator: { propertyName: key },
    oneOf: [...shapes],
    required: [key],
  })
}

const text = (description: string) => Type.String({ description })
const template = (description: string) => Type.String({ description, minLength: 1, format: 'template' })
const path = (description: string) => Type.String({ description, maxLength: 500, format: 'path' })
/** A path, or a template when it holds `{{ }}`. */
const pathOrTemplate = (description: string) => Type.String({ description, minLength: 1, format: 'path-or-template' })
const templates = (description: string) => map(Type.String({ format: 'template' }), description)
const paths = (description: string) => Type.Array(Type.String({ format: 'path' }), { description })
const name = (description: string) => Type.String({ description, minLength: 1, maxLength: 200 })
const map = <T extends TSchema>(value: T, description: string) => Type.Record(Type.String(), value, { description })

const Scalar = Type.Unsafe<string | number | boolean | null>({ type: ['string', 'number', 'boolean', 'null'] })

export const Match = map(
  Type.Unsafe<string | number | boolean | null | (string | number | boolean | null)[] | { present: boolean }>({
    type: ['string', 'number', 'boolean', 'null', 'array', 'object'],
    items: Scalar,
    properties: { present: { type: 'boolean' } },
    required: ['present'],
    additionalProperties: false,
  }),
  'Paths and the value each must have: one value, a list of which one must fit, or `{present: true}`. All must fit. A value that is a list fits when it holds the wanted one.',
)
export type Match = Static<typeof Match>

export const MetadataInput = Type.Object(
  {
    name: name('Name of the input: the variable `{{name}}`, and the key in `providerMetadata` of the connection.'),
    displayName: Type.Optional(text('Label in forms.')),
    prompt: Type.Optional(text('Help beside the field.')),
    docsUrl: Type.Optional(text('Where the customer finds the value.')),
    default: Type.Optional(text('Used when the connection has no value.')),
    kind: Type.Optional(
      choice(
        ['text', 'host', 'url'],
        'What the value must look like: `text` (default), a `host` name, or an http(s) `url` without query.',
      ),
    ),
    modules: Type.Optional(
      Type.Array(Type.String(), { description: 'Modules that need it; all modules when absent.' }),
    ),
  },
  { ...strict, description: 'A value that each customer gives when connecting.' },
)
export type MetadataInput = Static<typeof MetadataInput>

const NoAuthentication = Type.Object(
  { scheme: Type.Literal('none', { description: 'No credential.' }) },
  { ...strict, title: 'none' },
)

const ApiKeyAuthentication = Type.Object(
  {
    scheme: Type.Literal('apiKey', { description: 'A key.' }),
    attach: choice(
      ['header', 'query', 'basic'],
      'Where the key goes: a request header, a query parameter, or HTTP Basic (the other half stays empty, or is `other`).',
    ),
    name: Type.Optional(name('Name of the header or parameter; for `basic`, `username` (default) or `password`.')),
    prefix: Type.Optional(text('Text before the key in a header, with its space: `Bearer `.')),
    other: Type.Optional(text('For `basic`: the half that is not the key.')),
    displayName: Type.Optional(text('What the provider calls the key.')),
    docsUrl: Type.Optional(text('Where the customer finds the key.')),
  },
  { ...strict, title: 'apiKey' },
)

const BasicAuthentication = Type.Object(
  {
    scheme: Type.Literal('basic', { description: 'User name and password by HTTP Basic (RFC 7617).' }),
    apiKeyAsBasic: Type.Optional(Type.Boolean({ description: 'The user name, the password or both are a key.' })),
    docsUrl: Type.Optional(text('Where the customer finds them.')),
  },
  { ...strict, title: 'basic' },
)

const OAuth2Authentication = Type.Object(
  {
    scheme: Type.Literal('oauth2', { description: 'OAuth 2.0; the access token is sent as bearer token.' }),
    grantType: Type.Optional(
      choice(
        ['authorizationCode', 'authorizationCodePKCE', 'clientCredentials', 'password'],
        'How tokens are obtained. What a file leaves out, the imported facts of that provider complete.',
      ),
    ),
    authUrl: Type.Optional(template('Authorization endpoint.')),
    tokenUrl: Type.Optional(template('Token endpoint.')),
    scopesRequired: Type.Optional(Type.Boolean({ description: 'Scopes must be asked for.' })),
    workspaceRequired: Type.Optional(Type.Boolean({ description: 'The customer must name a workspace first.' })),
    audience: Type.Optional(Type.Array(Type.String(), { description: '`audience` of the request.' })),
    authUrlParams: Type.Optional(map(Type.String(), 'Further parameters of the authorization URL.')),
    scopeMappings: Type.Optional(map(Type.String(), 'Scope templates by scope.')),
    tokenMetadataFields: Type.Optional(
      map(Type.Unknown(), 'Keys of the token response to keep: consumerRef, workspaceRef, scopes, others.'),
    ),
    tokenHeader: Type.Optional(
      Type.Object(
        { name: name('Header name.'), prefix: Type.Optional(text('Text before the token.')) },
        { ...strict, description: 'Where the access token goes when not `Authorization: Bearer`.' },
      ),
    ),
    docsUrl: Type.Optional(text('The provider’s page about it.')),
  },
  { ...strict, title: 'oauth2' },
)

const CustomAuthentication = Type.Object(
  {
    scheme: Type.Literal('custom', { description: 'Own inputs; declared, not yet connectable.' }),
    headers: Type.Optional(map(Type.String(), 'Header templates over the inputs.')),
    query: Type.Optional(map(Type.String(), 'Query parameter templates over the inputs.')),
    inputs: Type.Optional(Type.Array(map(Type.Unknown(), 'One input.'), { description: 'What each customer gives.' })),
    appInputs: Type.Optional(
      Type.Array(map(Type.Unknown(), 'One input.'), { description: 'What the provider app gives.' }),
    ),
    multiStep: Type.Optional(Type.Boolean({ description: 'Needs a conversation with the provider.' })),
  },
  { ...strict, title: 'custom' },
)

export const Authentication = tagged(
  'scheme',
  [NoAuthentication, ApiKeyAuthentication, BasicAuthentication, OAuth2Authentication, CustomAuthentication],
  'One way to authenticate.',
)
export type Authentication = Static<typeof Authentication>
export type ApiKeyAuthentication = Static<typeof ApiKeyAuthentication>
export type OAuth2Authentication = Static<typeof OAuth2Authentication>

export const HealthCheck = Type.Object(
  {
    method: Type.Optional(name('HTTP method; `GET` when absent.')),
    path: Type.Optional(template('Path below the base URL, with its query.')),
    url: Type.Optional(template('Whole URL, where the question is answered on another host than the base URL.')),
    successStatusCodes: Type.Optional(
      Type.Array(Type.Integer({ minimum: 200, maximum: 299 }), {
        description: 'Good answers; 200 and 204 when absent.',
      }),
    ),
  },
  { ...strict, description: 'A request that succeeds only with a good credential. One of `path` and `url`.' },
)
export type HealthCheck = Static<typeof HealthCheck>

const request = {
  method: Type.Optional(choice(['GET', 'POST', 'OPTIONS'], 'HTTP method; `GET` when absent.')),
  path: template('Path template below the base URL; begins with `/`. Variables are percent-encoded.'),
  query: Type.Optional(
    map(
      Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'], format: 'template' }),
      'Query parameters: templates. A parameter that names a variable without a value is left out.',
    ),
  ),
  headers: Type.Optional(templates('Request headers: templates, left out like query parameters.')),
  body: Type.Optional(
    Type.Unknown({
      description:
        'JSON body. Texts in it are templates; `{$value: name}` puts a variable with its type; an object with `$when: name` is left out unless the variable has a value; what names a variable without a value is left out, and so is a list or object of which nothing is left.',
    }),
  ),
}

const Request = Type.Object(request, strict)
export type Request = Static<typeof Request>

const more = Type.Optional(path('Path of a boolean: false ends the read.'))

const NoPaging = Type.Object(
  { kind: Type.Literal('none', { description: 'One answer holds everything.' }) },
  { ...strict, title: 'none' },
)
const NextUrlPaging = Type.Object(
  {
    kind: Type.Literal('nextUrl', {
      description: 'The body names the URL of the next page; it is followed on the declared origin only.',
    }),
    next: path('Path of that URL, absolute or relative; absent or null ends the read.'),
    more,
  },
  { ...strict, title: 'nextUrl' },
)
const LinkHeaderPaging = Type.Object(
  {
    kind: Type.Literal('linkHeader', {
      description: 'The `Link` header (RFC 8288) names the URL of the next page; same origin only.',
    }),
    rel: Type.Optional(text('Relation of that link; `next` when absent.')),
  },
  { ...strict, title: 'linkHeader' },
)
const Restart = Type.Object(
  {
    records: Type.Integer({
      minimum: 1,
      description: 'After how many records: at most what the provider gives out for one query.',
    }),
    key: path('Path, in the record, of the key that the records are sorted by.'),
  },
  {
    ...strict,
    description:
      'Starts a new query behind the last key (the variable `afterKey`) after so many records: for searches that end early, and for cursors that count records, which slip when records leave the window during the read.',
  },
)
const CursorPaging = Type.Object(
  {
    kind: Type.Literal('cursor', {
      description: 'The answer names a cursor; the next request sends it as `{{cursor}}`.',
    }),
    next: Type.Optional(path('Path of the cursor in the body; absent, null or empty ends the read.')),
    nextHeader: Type.Optional(name('Response header that holds the cursor, instead of `next`.')),
    more,
    restart: Type.Optional(Restart),
  },
  { ...strict, title: 'cursor' },
)
const PagePaging = Type.Object(
  {
    kind: Type.Literal('page', { description: 'Page numbers: `{{page}}`.' }),
    first: Type.Optional(Type.Integer({ description: 'Number of the first page; 1 when absent.' })),
    more,
    pages: Type.Optional(path('Path of the number of pages.')),
    pagesHeader: Type.Optional(name('Response header that holds the number of pages.')),
  },
  { ...strict, title: 'page' },
)
const OffsetPaging = Type.Object(
  {
    kind: Type.Literal('offset', { description: 'Number of records to skip: `{{offset}}`.' }),
    first: Type.Optional(Type.Integer({ description: 'Offset of the first record; 0 when absent.' })),
    next: Type.Optional(path('Path of the next offset, where the answer names it.')),
    more,
  },
  { ...strict, title: 'offset' },
)
const KeysetPaging = Type.Object(
  {
    kind: Type.Literal('keyset', { description: 'The next request names the last record’s key: `{{afterKey}}`.' }),
    key: Type.Optional(path('Path of the key in the record; `id` when absent.')),
    more,
  },
  { ...strict, title: 'keyset' },
)

export const Paging = tagged(
  'kind',
  [NoPaging, NextUrlPaging, LinkHeaderPaging, CursorPaging, PagePaging, OffsetPaging, KeysetPaging],
  'How the next page is found. Kinds without a sign of the end (`page`, `offset`, `keyset`) end at a page with fewer records than asked for.',
)
export type Paging = Static<typeof Paging>
export type CursorPaging = Static<typeof CursorPaging>
export type PagePaging = Static<typeof PagePaging>
export type OffsetPaging = Static<typeof OffsetPaging>
export type KeysetPaging = Static<typeof KeysetPaging>
export type NextUrlPaging = Static<typeof NextUrlPaging>
export type LinkHeaderPaging = Static<typeof LinkHeaderPaging>

const listing = {
  ...request,
  records: Type.Optional(path('Path of the list of records in the answer; the whole answer when absent.')),
  pageSizeMax: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description:
        'Most records per page that the provider allows, and what is asked for: `{{pageSize}}`; 100 when absent.',
    }),
  ),
  paging: Type.Optional(Paging),
}

const Child = Type.Object(listing, {
  ...strict,
  description: 'A list read once per record; `{{record.id}}` and other `record.` variables name the parent’s values.',
})
export type Child = Static<typeof Child>

export const Read = Type.Object(
  {
    ...listing,
    id: Type.Optional(path('Path of the record’s id; `id` when absent.')),
    total: Type.Optional(path('Path of the number of all records.')),
    totalHeader: Type.Optional(name('Response header that holds the number of all records.')),
    flatten: Type.Optional(
      paths('Paths of objects in the record whose keys count as fields of the record, such as `properties`.'),
    ),
    fieldsExcept: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Names that `{{fields}}` (the requested fields, joined by commas) leaves out.',
      }),
    ),
    urlBytesMax: Type.Optional(
      Type.Integer({
        minimum: 500,
        description:
          'When the first URL would be longer (many fields), the request of `incremental.read` is used instead.',
      }),
    ),
    children: Type.Optional(
      map(
        Child,
        'Lists that belong to each record, by the field they become (in `fields` and in `raw`). Read only when that field is asked for by name.',
      ),
    ),
  },
  { ...strict, description: 'How the records are listed.' },
)
export type Read = Static<typeof Read>

/** Checked in full once it is merged with `read`: a null in it removes a key. */
const ReadChanges = Type.Unsafe<Partial<Read>>({
  type: 'object',
  description:
    'What differs from `read` when a window is given: the same keys. Objects are merged, everything else replaces, null removes.',
})

export const Window = Type.Object(
  {
    format: Type.Optional(
      choice(
        ['rfc3339', 'rfc3339Seconds', 'date', 'unix', 'unixMs'],
        'How `{{since}}` and `{{until}}` are written; `rfc3339` (with milliseconds, UTC) when absent.',
      ),
    ),
    lowerBound: Type.Optional(
      choice(
        ['inclusive', 'exclusive'],
        'Whether the provider’s filter includes `since` itself (default). Where not, one grain of the format is subtracted.',
      ),
    ),
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        description: 'Subtracted from `since`, for providers whose filter lags behind.',
      }),
    ),
    filter: Type.Optional(
      Type.Object(
        {
          timestamp: path(
            'Path of the time in the record: RFC 3339 (no zone = UTC), or seconds or milliseconds since 1970.',
          ),
          order: Type.Optional(
            choice(
              ['descending'],
              'The provider lists the newest first: the read ends at the first record older than the window.',
            ),
          ),
        },
        { ...strict, description: 'For providers that cannot filter: records outside the window are dropped here.' },
      ),
    ),
    read: Type.Optional(ReadChanges),
  },
  {
    ...strict,
    description:
      'How only what changed is read. Without it every read returns everything. Whether the window has a fixed end follows from `{{until}}` being used.',
  },
)
export type Window = Static<typeof Window>

const flag = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | boolean | { not: string }>({
      type: ['string', 'boolean', 'object'],
      format: 'path',
      properties: { not: { type: 'string', format: 'path' } },
      required: ['not'],
      additionalProperties: false,
      description: `${description}: a path, \`{not: path}\`, or true or false.`,
    }),
  )

const Values = Type.Object(
  {
    path: path('Path of the list of choices. Plain values are both value and label.'),
    value: Type.Optional(path('Path of the value in a choice; `value` when absent.')),
    label: Type.Optional(path('Path of the label; `label` when absent.')),
  },
  { ...strict, description: 'The choices of a select.' },
)

const ValueTypeRule = Type.Object(
  {
    when: Type.Optional(Match),
    is: choice(valueTypes, 'The value type.'),
  },
  strict,
)

const StaticField = Type.Object(
  {
    displayName: Type.Optional(text('Label; the name when absent.')),
    valueType: Type.Optional(choice(valueTypes, 'Type of the value.')),
    providerType: Type.Optional(text('The provider’s own word.')),
    readOnly: Type.Optional(Type.Boolean({ description: 'Cannot be written.' })),
    isCustom: Type.Optional(Type.Boolean({ description: 'Made by the customer.' })),
    isRequired: Type.Optional(Type.Boolean({ description: 'Must be given when creating.' })),
    referenceTo: Type.Optional(Type.Array(Type.String(), { description: 'Objects it points at.' })),
    values: Type.Optional(
      Type.Array(
        Type.Object(
          { value: text('The value.'), displayValue: Type.Optional(text('Its label; the value when absent.')) },
          strict,
        ),
        { description: 'The choices of a select.' },
      ),
    ),
  },
  strict,
)

const optional = Type.Optional(
  Type.Boolean({ description: 'A refusal (403, 404) of this request leaves the source out instead of failing.' }),
)

const StaticFields = Type.Object(
  {
    source: Type.Literal('static', { description: 'Fields written down here.' }),
    fields: map(
      Type.Unsafe<Static<typeof StaticField> | (typeof valueTypes)[number]>({
        type: ['string', 'object'],
        format: 'value-type',
        properties: StaticField.properties,
        additionalProperties: false,
      }),
      'By name. A text is the value type alone.',
    ),
  },
  { ...strict, title: 'static' },
)
const LiveFields = Type.Object(
  {
    source: Type.Literal('live', { description: 'The provider lists its fields.' }),
    ...listing,
    keyed: Type.Optional(
      Type.Boolean({ description: 'The list is an object: each key is the variable `$key` of its value.' }),
    ),
    optional,
    name: template(
      'Name of the field. Here and below, a text with `{{ }}` is a template over the listed field, another is a path in it.',
    ),
    displayName: Type.Optional(pathOrTemplate('Label; the name when absent or empty.')),
    providerType: Type.Optional(pathOrTemplate('The provider’s word for the type.')),
    valueType: Type.Optional(
      Type.Array(ValueTypeRule, { description: 'Rules, the first that fits wins; without one `other`.' }),
    ),
    readOnly: flag('Cannot be written'),
    isCustom: flag('Made by the customer'),
    isRequired: flag('Must be given when creating'),
    referenceTo: Type.Optional(
      Type.Object(
        {
          path: path('Path of the provider’s name of the object.'),
          map: Type.Optional(map(Type.String(), 'Our object name by the provider’s.')),
          otherwise: Type.Optional(
            template('Template for names that the map lacks, over the listed field; `|lower` lowers a variable.'),
          ),
        },
        { ...strict, description: 'The object that the value points at.' },
      ),
    ),
    values: Type.Optional(Values),
  },
  { ...strict, title: 'live' },
)
const RequiredFields = Type.Object(
  {
    source: Type.Literal('required', { description: 'The provider lists the names of required fields.' }),
    ...request,
    optional,
    names: path('Path of that list; where it is absent, no field is required.'),
  },
  { ...strict, title: 'required' },
)
const ChoiceFields = Type.Object(
  {
    source: Type.Literal('choices', { description: 'Another request knows the choices of fields found before.' }),
    ...listing,
    optional,
    fields: map(
      Type.Object(
        {
          each: Type.Optional(
            path('Path of a list inside each record, one choice per item; `{{parent.x}}` names the record.'),
          ),
          value: template('Template of the value.'),
          label: template('Template of the label.'),
        },
        strict,
      ),
      'By field name; names that no source before found are ignored.',
    ),
  },
  { ...strict, title: 'choices' },
)
const SampleFields = Type.Object(
  { source: Type.Literal('sample', { description: 'The keys of the first record are the fields, of type `other`.' }) },
  { ...strict, title: 'sample' },
)

export const FieldSource = tagged(
  'source',
  [StaticFields, LiveFields, RequiredFields, ChoiceFields, SampleFields],
  'Where an object’s fields are known from.',
)
export type FieldSource = Static<typeof FieldSource>
export type LiveFields = Static<typeof LiveFields>
export type ChoiceFields = Static<typeof ChoiceFields>
export type StaticFields = Static<typeof StaticFields>

const objectParts = {
  displayName: Type.Optional(text('Label of the object; its name when absent.')),
  like: Type.Optional(
    name('Name of a template under `templates` that this completes. Objects are merged, lists replaced, null removes.'),
  ),
  set: Type.Optional(map(Type.String(), 'Variables of this object, for its template’s requests.')),
  incremental: Type.Optional(Window),
  fields: Type.Optional(
    Type.Array(FieldSource, {
      description: 'Sources of the object’s fields, in order; later ones complete earlier ones.',
    }),
  ),
}

/** Checked in full after `like` is resolved; here only its outline. */
const ObjectOutline = Type.Object(
  {
    ...objectParts,
    incremental: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
    fields: Type.Optional(Type.Unsafe<unknown[]>({ type: 'array' })),
    read: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
  },
  strict,
)

export const ProviderObject = Type.Object(
  { ...objectParts, read: Read },
  { ...strict, description: 'An object that can be read.' },
)
export type ProviderObject = Static<typeof ProviderObject>

const support = Type.Optional(
  map(
    Type.Unknown(),
    'What the provider can do (`read`, `write`, `delete`, `proxy`, `subscribe`, `search`); completes the facts.',
  ),
)

const OtherObjects = Type.Array(
  Type.Object(
    {
      match: text('Regular expression that the whole object name must match.'),
      like: name('Template that such an object follows; its name is the variable `object`.'),
    },
    strict,
  ),
  { description: 'Objects that are not listed by name, such as the customer’s own.' },
)

export const ProviderModule = Type.Object(
  {
    displayName: Type.Optional(text('Label.')),
    baseUrl: Type.Optional(template('Base URL of the module for the proxy.')),
    apiUrl: Type.Optional(
      template('What object paths of this module are joined to; the provider’s `baseUrl` when absent.'),
    ),
    support,
    objects: Type.Optional(map(ObjectOutline, 'Objects of the module, by name.')),
    otherObjects: Type.Optional(OtherObjects),
  },
  { ...strict, description: 'A part of the provider with objects of its own.' },
)

const ErrorRule = Type.Object(
  {
    status: Type.Optional(
      Type.Integer({ minimum: 200, maximum: 599, description: 'Status of the answer; any when absent.' }),
    ),
    when: Type.Optional(Match),
    is: choice(providerErrorClasses, 'Class of the error.'),
  },
  strict,
)

export const ErrorTable = Type.Object(
  {
    message: Type.Optional(paths('Paths of the provider’s message; the first that holds a text wins.')),
    rules: Type.Optional(
      Type.Array(ErrorRule, {
        description:
          'The first that fits decides, before the status does. A rule that fits an answer of status 2xx makes it an error.',
      }),
    ),
    retryAfterHeaders: Type.Optional(
      map(
        choice(['seconds', 'milliseconds', 'unix', 'unixMs'], 'How the value is written.'),
        'Headers besides `Retry-After` that say when to come back.',
      ),
    ),
  },
  { ...strict, description: 'What answers mean.' },
)
export type ErrorTable = Static<typeof ErrorTable>

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
      template(
        'Base URL: `https://` and a host, with variables from the inputs; or one `url` input and a path. May come from the facts.',
      ),
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
    support,
    defaultModule: Type.Optional(name('Module that is used when a manifest names none.')),
    modules: Type.Optional(map(ProviderModule, 'Modules, by id.')),
    templates: Type.Optional(map(ObjectOutline, 'Object templates that `like` refers to, by name.')),
    objects: Type.Optional(map(ObjectOutline, 'Objects of a provider without modules, by name.')),
    otherObjects: Type.Optional(OtherObjects),
  },
  { ...strict, title: 'Provider file' },
)
export type ProviderFileOutline = Static<typeof ProviderFileOutline>

/** The objects of one module, `like` resolved. */
export interface ObjectSet {
  objects: Map<string, ProviderObject>
  others: { match: RegExp; object: ProviderObject }[]
  /** Template that object paths are joined to, where it is not the provider's base URL. */
  apiUrl?: string
}

/** A provider file that passed every check. The set of a provider without modules has the key `''`. */
export interface ProviderFile {
  path: string
  errors: ErrorTable
  headers: Record<string, string>
  sets: Map<string, ObjectSet>
}
