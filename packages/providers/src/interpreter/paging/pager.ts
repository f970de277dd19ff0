import type { CursorPaging } from '../../catalogue/format/paging.ts'
import { ProviderError } from '../../provider-error.ts'
import { compileMatch } from '../match.ts'
import type { PageState } from '../page-token.ts'
import { compilePath, scalarText } from '../path.ts'
import type { Column } from '../rows.ts'

/** What a pager sees of an answer. */
export interface PagedAnswer {
  json: unknown
  headers: Record<string, string>
  /** Records as they came, before any is dropped. */
  records: readonly unknown[]
  /** The requested number. */
  pageSize: number
  /** The columns of the records, where they are rows. */
  columns?: readonly Column[] | undefined
}

/** A success that may mean that the records are not there yet. */
export interface PendingAnswer {
  response: { status: number; json: unknown }
  /** How long the provider asks to wait. */
  waitMs: number
  /** How long the request took: some providers keep it until the records are there. */
  tookMs: number
}

/** How one kind of paging gets the next page. */
export interface Pager {
  /** Variables that the request of this page may name. */
  variables(state: PageState): Record<string, unknown>
  /** State of the next page; `undefined` when this was the last. @throws ProviderError when the answer leads nowhere */
  next(answer: PagedAnswer, state: PageState): PageState | undefined
  /** Where to ask again, and when, if the records are not there yet; undefined if they are. @throws ProviderError */
  pending?(answer: PendingAnswer, state: PageState): { next: PageState; waitMs: number } | undefined
  /** Fewest records of a page with which the read gets on; 1 when absent. */
  pageSizeMin?: number
  /** The records without those that the page before had; all of them when absent. */
  unread?(records: readonly unknown[], state: PageState): readonly unknown[]
}

/** Whether the answer's own flags say that there is more; `undefined` where the file names no such flag. */
export function moreFlag({ more, end }: { more?: string; end?: string }): (json: unknown) => boolean | undefined {
  const readMore = more === undefined ? undefined : compilePath(more)
  const readEnd = end === undefined ? undefined : compilePath(end)
  if (readMore === undefined && readEnd === undefined) return () => undefined
  return (json) =>
    (readMore === undefined || isTrue(readMore(json))) && !(readEnd !== undefined && isTrue(readEnd(json)))
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true' || value === 1
}

/**
 * A cursor, number or URL out of an answer; absent, null and empty are the end.
 *
 * @throws ProviderError when it is an object or a list: the provider pages otherwise, and there may be more
 */
export function nextText(path: string): (json: unknown) => string | undefined {
  const read = compilePath(path)
  return (json) => {
    const value = read(json)
    const text = scalarText(value)
    if (text === undefined && typeof value === 'object' && value !== null && Object.keys(value).length > 0)
      throw new ProviderError('unexpected_response', 'The provider names the next page in a form that is not expected.')
    return text === '' || text === 'false' ? undefined : text
  }
}

/**
 * Like `nextText`, where the file may say that the value is in one of several links.
 *
 * @throws ProviderError when there is something else than a list of links, or a link without the value
 */
export function nextOf({ next, list, when }: NextLink): (json: unknown) => string | undefined {
  const inItem = next === undefined ? () => undefined : nextText(next)
  if (list === undefined) return inItem
  const readList = compilePath(list)
  const isNext = compileMatch(when)
  return (json) => {
    const links = readList(json) ?? []
    if (!Array.isArray(links)) throw noLink()
    const link: unknown = links.find(isNext)
    if (link === undefined) return undefined
    const text = inItem(link)
    if (text === undefined) throw noLink()
    return text
  }
}

type NextLink = Pick<CursorPaging, 'next' | 'list' | 'when'>

/** A link to the next page that does not lead there: the list would end early. */
export function noLink(): ProviderError {
  return new ProviderError('unexpected_response', 'The provider links the next page in a form that is not expected.')
}

/** Key of the last record. @throws ProviderError when it has none, since the next request could not be made */
export function lastKey(read: (record: unknown) => unknown, records: readonly unknown[]): string {
  const key = scalarText(read(records.at(-1)))
  if (key === undefined) throw new ProviderError('unexpected_response', 'The last record has no key to continue from.')
  return key
}

/** A next page that is this page would be read for ever. */
export function stuck(): ProviderError {
  return new ProviderError('unexpected_response', 'The provider names the page just read as the next one.')
}

/** Records of one key that fill a page, or a whole query, leave no key to continue from. */
export function tooManyTies(): ProviderError {
  return new ProviderError(
    'list_truncated',
    'More records have the same key than one query returns, so Mortise cannot read the ones after them.',
  )
}
