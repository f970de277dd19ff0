import { type Static, Type } from 'typebox'
import { request } from './request.ts'
import { ResponseMatch, status } from './responses.ts'
import { choice, condition, map, name, namedPath, path, strict, tagged, text } from './vocabulary.ts'

const lastPage = 'Path of a boolean that ends the list: `more` ends it with `false`, `end` with `true`.'

/** Paths into the answer may name the object and its `set`, as in `data.{{object}}.pageInfo.endCursor`. */
const flags = {
  more: Type.Optional(namedPath(lastPage, 1)),
  end: Type.Optional(namedPath(lastPage, 1)),
}

const recordsMax = Type.Optional(
  Type.Integer({
    minimum: 1,
    description:
      'Largest number of records of one list. A list that reaches it ends with an error, or with `restart` in a new query. Default with `restart`: its `records`.',
  }),
)

const NoPaging = Type.Object(
  { kind: Type.Literal('none', { description: 'One response has all records.' }), recordsMax },
  { ...strict, title: 'none' },
)
const Restart = Type.Object(
  {
    records: Type.Integer({
      minimum: 1,
      description: 'Number of records of a query, at most what the provider returns.',
    }),
    key: path('Path, in the record, of the key that the records are sorted by.'),
    bound: Type.Optional(
      choice(
        ['exclusive', 'inclusive', 'justBefore'],
        'Whether the new query starts after the key (`exclusive`, default: the key must be unique) or with it (`inclusive`: Mortise drops the records that it has read). `justBefore`: as `inclusive`, for a time that the filter excludes: `{{afterKey}}` is a millisecond earlier.',
      ),
    ),
  },
  {
    ...strict,
    description:
      'Starts a new query after the last key (`{{afterKey}}`): for searches that end early, and records that move during the read.',
  },
)
export type Restart = Static<typeof Restart>

/** What can reach a limit of the provider. */
const limits = { restart: Type.Optional(Restart), recordsMax }

/** Where the next page is one of several links, such as `links: [{ rel: next, href: … }]`. */
const linkList = {
  list: Type.Optional(
    namedPath(
      'Path of a list of links. `next` is then a path in the first item that matches `when`. None ends the list.',
      1,
    ),
  ),
  when: Type.Optional(condition('With `list`: which item is the link to the next page, such as `{ rel: next }`.')),
}

const NextUrlPaging = Type.Object(
  {
    kind: Type.Literal('nextUrl', {
      description: 'The body has the URL of the next page. It must have the same origin.',
    }),
    next: namedPath('Path of the URL, absolute or relative. Absent or null ends the list.', 1),
    ...linkList,
    ...flags,
    ...limits,
  },
  { ...strict, title: 'nextUrl' },
)
const LinkHeaderPaging = Type.Object(
  {
    kind: Type.Literal('linkHeader', {
      description: 'The `Link` header (RFC 8288) has the URL of the next page. It must have the same origin.',
    }),
    rel: Type.Optional(text('Relation of the link. Default: `next`.')),
    ...limits,
  },
  { ...strict, title: 'linkHeader' },
)
const CursorPaging = Type.Object(
  {
    kind: Type.Literal('cursor', {
      description: 'The response has a cursor. The next request sends it as `{{cursor}}`.',
    }),
    next: Type.Optional(namedPath('Path of the cursor in the body. Absent, null or empty ends the list.', 1)),
    ...linkList,
    nextHeader: Type.Optional(name('Response header with the cursor, in place of `next`.')),
    parameter: Type.Optional(
      name('The value is a URL, perhaps of another host, with the cursor in this query parameter.'),
    ),
    request: Type.Optional(
      Type.Object(
        {
          path: Type.Optional(request.path),
          body: request.body,
        },
        {
          ...strict,
          description: 'What differs in requests with a cursor.',
        },
      ),
    ),
    ...flags,
    ...limits,
  },
  { ...strict, title: 'cursor' },
)
const PagePaging = Type.Object(
  {
    kind: Type.Literal('page', { description: 'Page numbers: `{{page}}`.' }),
    first: Type.Optional(Type.Integer({ description: 'First number. Default: 1.' })),
    ...flags,
    next: Type.Optional(namedPath('Path of the next page’s number. Absent or null ends the list.', 1)),
    pages: Type.Optional(namedPath('Path of the number of pages.', 1)),
    session: Type.Optional(
      path('Path of a value that requests of further pages send back as `{{session}}`, such as the id of a query.'),
    ),
    pagesHeader: Type.Optional(name('Response header with the number of pages.')),
    ...limits,
  },
  { ...strict, title: 'page' },
)
const OffsetPaging = Type.Object(
  {
    kind: Type.Literal('offset', { description: 'Number of records to skip: `{{offset}}`.' }),
    first: Type.Optional(Type.Integer({ description: 'First offset. Default: 0.' })),
    next: Type.Optional(namedPath('Path of the next offset, where the response has it.', 1)),
    count: Type.Optional(
      namedPath('Path of the number of records of the page, where the response leaves some out.', 1),
    ),
    ...flags,
    ...limits,
  },
  { ...strict, title: 'offset' },
)
const KeysetPaging = Type.Object(
  {
    kind: Type.Literal('keyset', { description: 'The next request names the key of the last record: `{{afterKey}}`.' }),
    key: Type.Optional(path('Path of the key in the record. Default: `id`.')),
    bound: Type.Optional(choice(['exclusive', 'inclusive'], 'As `bound` of `restart`, for the next page.')),
    ...flags,
  },
  { ...strict, title: 'keyset' },
)

const ResultPaging = Type.Object(
  {
    kind: Type.Literal('result', {
      description:
        'The request starts a query. Other requests ask for its result by its id: `{{result.id}}`, and `{{result.part}}` or `{{cursor}}`.',
    }),
    id: path('Path of the id of the result in the first response.'),
    keep: Type.Optional(
      map(
        Type.String({ format: 'path' }),
        'Further values of the first response for the other requests: `{{result.location}}` reads `location`.',
      ),
    ),
    pending: Type.Object(
      { status: Type.Optional(status(200, 299)), when: ResponseMatch.properties.when },
      {
        ...strict,
        minProperties: 1,
        description: 'A response that means that the result is not there yet. Default of `status`: any 2xx.',
      },
    ),
    everySeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3600,
        description:
          'Seconds between two requests while it is pending, at least. Waits grow up to a minute. Default: 2. A longer `Retry-After` takes precedence.',
      }),
    ),
    maxHours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 168,
        description: 'How long the result may be pending. Mortise then starts the query again. Default: 24.',
      }),
    ),
    request: Type.Object(
      {
        method: Type.Optional(choice(['GET', 'POST'], 'HTTP method. Default: `GET`.')),
        path: request.path,
        query: Type.Optional(
          map(
            Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'], format: 'template' }),
            'Query parameters.',
          ),
        ),
        body: request.body,
      },
      {
        ...strict,
        description: 'The request for the result, and for each further part of it. It has the `headers` of the list.',
      },
    ),
    next: Type.Optional(
      namedPath('Path of the cursor of the next part: `{{cursor}}`. Absent, null or empty ends the result.', 1),
    ),
    parts: Type.Optional(
      path(
        'Path, in the first response with rows, of the list of parts or of their number. Parts are numbered from 0: `{{result.part}}`.',
      ),
    ),
    count: Type.Optional(
      path('Path of the number of rows of the whole result. A result with another number is an error.'),
    ),
  },
  { ...strict, title: 'result' },
)

export const Paging = tagged(
  'kind',
  [NoPaging, NextUrlPaging, LinkHeaderPaging, CursorPaging, PagePaging, OffsetPaging, KeysetPaging, ResultPaging],
  'How to request the next page. `page`, `offset` and `keyset` end at a page that is not full, unless another key says where the list ends.',
)
export type Paging = Static<typeof Paging>
export type CursorPaging = Static<typeof CursorPaging>
export type PagePaging = Static<typeof PagePaging>
export type OffsetPaging = Static<typeof OffsetPaging>
export type KeysetPaging = Static<typeof KeysetPaging>
export type NextUrlPaging = Static<typeof NextUrlPaging>
export type LinkHeaderPaging = Static<typeof LinkHeaderPaging>
export type ResultPaging = Static<typeof ResultPaging>
