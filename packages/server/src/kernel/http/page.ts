import { hash } from 'node:crypto'
import { Type } from 'typebox'
import { isId } from '../db/index.ts'
import { InvalidInput } from './problems.ts'

/**
 * Pages of lists, for whoever asks for them. A page goes on behind the key of the last item before it (keyset), so that
 * what is added or removed meanwhile neither repeats nor hides another item.
 */

const pageSizeUnasked = 100
const cursorBytesMax = 4_096

/** Query parameters of a list that `pageOf` answers; the list that is asked for neither is whole. */
export const PageQuery = {
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: 'Items of one page at most. Without it the list is whole.',
    }),
  ),
  pageToken: Type.Optional(
    Type.String({
      maxLength: 6_000,
      description: 'Where the page begins: `X-Next-Page-Token` of the page before it, with the same filters.',
    }),
  ),
}

/** Whether answers of an endpoint tell the next page in headers. */
export function pagesInHeaders({ query }: { query?: object | undefined }): boolean {
  const { properties = {} } = (query ?? {}) as { properties?: Record<string, unknown> }
  return properties['pageToken'] === PageQuery.pageToken
}

/** The parts of an endpoint's input that say which page is asked for. */
export interface PageInput {
  operationId: string
  url: string
  query: { pageSize?: number | undefined; pageToken?: string | undefined }
}

/** Which items of a list are asked for: those behind the key `after`, at most `limit`. */
export interface PageBounds {
  after?: string | undefined
  limit?: number | undefined
}

export interface PageOptions<T> {
  /**
   * Answers the items behind the one with the key `after`, in the order of the list, at most `limit` of them; all of
   * them when `limit` is undefined.
   */
  list: (page: Required<PageBounds>) => Promise<T[]>
  /** What the order of the list goes by, unique within it and never changed: an id. Longer keys may be JSON. */
  keyOf: (item: T) => string
  /** Whether a text can be a key; a UUID unless said otherwise. What is none is refused like any other broken token. */
  isKey?: (text: string) => boolean
  /** For lists that are never answered whole: the size of a page when none was asked for. */
  pageSizeDefault?: number
}

export interface Page<T> {
  items: T[]
  /** The token of the next page; undefined on the last one. */
  nextPageToken: string | undefined
  /** For `reply`: `Link` (RFC 8288) and `X-Next-Page-Token` where another page follows. */
  headers: Record<string, string>
}

/**
 * The page of a list that was asked for.
 *
 * @throws InvalidInput when the token is none, or one of another list or of other filters
 */
export async function pageOf<T>(input: PageInput, options: PageOptions<T>): Promise<Page<T>> {
  const { pageSize, pageToken } = input.query
  const size = pageSize ?? options.pageSizeDefault ?? (pageToken === undefined ? undefined : pageSizeUnasked)
  const after = pageToken === undefined ? undefined : readToken(input, pageToken, options.isKey ?? isId)
  // One more than asked for tells whether another page follows.
  const found = await options.list({ after, limit: size === undefined ? undefined : size + 1 })
  const items = size === undefined ? found : found.slice(0, size)
  const last = found.length > items.length ? items.at(-1) : undefined
  if (last === undefined) return { items, nextPageToken: undefined, headers: {} }
  const nextPageToken = token(input, options.keyOf(last))
  return { items, nextPageToken, headers: nextPageHeaders(input.url, nextPageToken) }
}

function nextPageHeaders(url: string, nextPageToken: string): Record<string, string> {
  const [path, query] = url.split('?')
  const next = new URLSearchParams(query)
  next.set('pageToken', nextPageToken)
  return { link: `<${path}?${next}>; rel="next"`, 'x-next-page-token': nextPageToken }
}

const tagBytes = 9

/**
 * The key, and before it what binds it to the list: whoever passes it to another list, or with other filters, made a
 * mistake.
 */
function token(input: PageInput, key: string): string {
  return Buffer.concat([tag(input, key), Buffer.from(key)]).toString('base64url')
}

function readToken(input: PageInput, text: string, isKey: (text: string) => boolean): string {
  const bytes = Buffer.from(text, 'base64url')
  const key = bytes.subarray(tagBytes).toString()
  // PostgreSQL takes no NUL in a text.
  const whole = bytes.length <= cursorBytesMax && bytes.toString('base64url') === text && !key.includes('\0')
  if (whole && bytes.subarray(0, tagBytes).equals(tag(input, key)) && isKey(key)) return key
  throw new InvalidInput({
    issues: [
      {
        in: 'query',
        name: 'pageToken',
        value: text,
        detail: 'pageToken is not a token of this list with these filters.',
        remedy: 'Pass the token of the previous page unchanged, with the same filters. Leave it out to start again.',
      },
    ],
  })
}

/**
 * Not secret: a page holds nothing that the list would not show its caller anyway. Without the path, where one thing
 * may be called by its id or its name.
 */
function tag({ operationId, query }: PageInput, key: string): Buffer {
  const { pageSize, pageToken, ...filters } = query as Record<string, unknown>
  return hash('sha256', JSON.stringify([operationId, sorted(filters), key]), 'buffer').subarray(0, tagBytes)
}

function sorted(values: object): [string, unknown][] {
  return Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
