import { hash } from 'node:crypto'
import { Type } from 'typebox'
import { isId } from '../db/index.ts'
import { InvalidInput } from './problems.ts'

/**
 * Pagination of lists, when the client requests it. A page starts after the key of the last item of the page before
 * (keyset), so items that are added or removed meanwhile neither repeat nor hide others.
 */

const pageSizeUnasked = 100
const cursorBytesMax = 4_096

/** Query parameters of a list that `pageOf` returns. Without them the list is complete. */
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

/** Returns whether responses of an endpoint have headers for the next page. */
export function pagesInHeaders({ query }: { query?: object | undefined }): boolean {
  const { properties = {} } = (query ?? {}) as { properties?: Record<string, unknown> }
  return properties['pageToken'] === PageQuery.pageToken
}

/** The parts of an endpoint's input that select the page. */
export interface PageInput {
  operationId: string
  url: string
  query: { pageSize?: number | undefined; pageToken?: string | undefined }
}

/** Selects items of a list: those after the key `after`, at most `limit`. */
export interface PageBounds {
  after?: string | undefined
  limit?: number | undefined
}

export interface PageOptions<T> {
  /**
   * Returns the items after the key `after`, in the order of the list, at most `limit` of them; all of them when
   * `limit` is undefined.
   */
  list: (page: Required<PageBounds>) => Promise<T[]>
  /** Returns the sort key, unique within the list and immutable: an id. Longer keys may be JSON. */
  keyOf: (item: T) => string
  /** Returns whether a text can be a key; a UUID by default. Other text is rejected like any invalid token. */
  isKey?: (text: string) => boolean
  /** Default page size, for lists that are never returned completely. */
  pageSizeDefault?: number
  /**
   * Returns the key after which to continue if `list` stopped before the end of the list and found fewer items than
   * requested.
   */
  stoppedAt?: () => string | undefined
}

export interface Page<T> {
  items: T[]
  /** Token of the next page; undefined on the last one. */
  nextPageToken: string | undefined
  /** For `reply`: `Link` (RFC 8288) and `X-Next-Page-Token` when another page follows. */
  headers: Record<string, string>
}

/**
 * Returns the requested page of a list.
 *
 * @throws InvalidInput when the token is malformed, or belongs to another list or to other filters
 */
export async function pageOf<T>(input: PageInput, options: PageOptions<T>): Promise<Page<T>> {
  const { pageSize, pageToken } = input.query
  const size = pageSize ?? options.pageSizeDefault ?? (pageToken === undefined ? undefined : pageSizeUnasked)
  const after = pageToken === undefined ? undefined : readToken(input, pageToken, options.isKey ?? isId)
  // One extra item shows that another page follows.
  const found = await options.list({ after, limit: size === undefined ? undefined : size + 1 })
  const items = size === undefined ? found : found.slice(0, size)
  const last = found.length > items.length ? items.at(-1) : undefined
  const key = last === undefined ? options.stoppedAt?.() : options.keyOf(last)
  if (key === undefined) return { items, nextPageToken: undefined, headers: {} }
  const nextPageToken = token(input, key)
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
 * Returns the key, prefixed with a tag that binds it to the list: a token for another list, or with other filters, is
 * an error.
 */
function token(input: PageInput, key: string): string {
  return Buffer.concat([tag(input, key), Buffer.from(key)]).toString('base64url')
}

function readToken(input: PageInput, text: string, isKey: (text: string) => boolean): string {
  const bytes = Buffer.from(text, 'base64url')
  const key = bytes.subarray(tagBytes).toString()
  // PostgreSQL accepts no NUL in a text.
  const isComplete = bytes.length <= cursorBytesMax && bytes.toString('base64url') === text && !key.includes('\0')
  if (isComplete && bytes.subarray(0, tagBytes).equals(tag(input, key)) && isKey(key)) return key
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
 * Not secret: the list shows its caller the same data anyway. Excludes the path, because the same item may be addressed
 * by its id or its name.
 */
function tag({ operationId, query }: PageInput, key: string): Buffer {
  const { pageSize, pageToken, ...filters } = query as Record<string, unknown>
  return hash('sha256', JSON.stringify([operationId, sorted(filters), key]), 'buffer').subarray(0, tagBytes)
}

function sorted(values: object): [string, unknown][] {
  return Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
