import { type Static, Type } from 'typebox'
import { choice, name, namedPath, path, strict, tagged, text } from './vocabulary.ts'

/** Paths into the answer may name the object and its `set`, as in `data.{{object}}.pageInfo.endCursor`. */
const flags = {
  more: Type.Optional(namedPath('Path of a boolean: false ends the read.', 1)),
  end: Type.Optional(namedPath('Path of a boolean: true ends the read.', 1)),
}

const NoPaging = Type.Object(
  { kind: Type.Literal('none', { description: 'One answer holds everything.' }) },
  { ...strict, title: 'none' },
)
const NextUrlPaging = Type.Object(
  {
    kind: Type.Literal('nextUrl', {
      description: 'The body names the URL of the next page; it is followed on the declared origin only.',
    }),
    next: namedPath('Path of that URL, absolute or relative; absent or null ends the read.', 1),
    ...flags,
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
    next: Type.Optional(namedPath('Path of the cursor in the body; absent, null or empty ends the read.', 1)),
    nextHeader: Type.Optional(name('Response header that holds the cursor, instead of `next`.')),
    parameter: Type.Optional(
      name('What is found is a URL, and the cursor this query parameter of it: for next pages on another host.'),
    ),
    ...flags,
    restart: Type.Optional(Restart),
  },
  { ...strict, title: 'cursor' },
)
const PagePaging = Type.Object(
  {
    kind: Type.Literal('page', { description: 'Page numbers: `{{page}}`.' }),
    first: Type.Optional(Type.Integer({ description: 'Number of the first page; 1 when absent.' })),
    ...flags,
    next: Type.Optional(namedPath('Path of the number of the next page; absent or null ends the read.', 1)),
    pages: Type.Optional(namedPath('Path of the number of pages.', 1)),
    pagesHeader: Type.Optional(name('Response header that holds the number of pages.')),
  },
  { ...strict, title: 'page' },
)
const OffsetPaging = Type.Object(
  {
    kind: Type.Literal('offset', { description: 'Number of records to skip: `{{offset}}`.' }),
    first: Type.Optional(Type.Integer({ description: 'Offset of the first record; 0 when absent.' })),
    next: Type.Optional(namedPath('Path of the next offset, where the answer names it.', 1)),
    count: Type.Optional(
      namedPath(
        'Path of the number of records of the page, for providers that leave some out: it counts instead of those that came.',
        1,
      ),
    ),
    ...flags,
  },
  { ...strict, title: 'offset' },
)
const KeysetPaging = Type.Object(
  {
    kind: Type.Literal('keyset', { description: 'The next request names the last record’s key: `{{afterKey}}`.' }),
    key: Type.Optional(path('Path of the key in the record; `id` when absent.')),
    bound: Type.Optional(
      choice(
        ['exclusive', 'inclusive'],
        'Whether the answer begins behind the record of `{{afterKey}}` (`exclusive`, the default), or with it: then it is dropped.',
      ),
    ),
    ...flags,
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
