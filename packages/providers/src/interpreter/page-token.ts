import { ProviderError } from '../provider-error.ts'
import type { PageLoop } from './endless-pages.ts'
import { isJobState, type JobState } from './jobs/job-state.ts'
import { isResultState, type ResultState } from './paging/result-state.ts'
import type { Tail } from './paging/ties.ts'
import { isObject } from './path.ts'
import type { Step } from './stepped-window.ts'

/** The position of a read between two pages. Travels as an opaque text; contains no secret. */
export interface PageState {
  /** Whole URL of the next page, credential parameters taken out. */
  url?: string
  cursor?: string
  /** The result of a query that is read. */
  result?: ResultState
  page?: number
  /** What the provider names the pages of a query by. */
  session?: string
  offset?: number
  /** Key of the last record, for `keyset` paging and restarted searches. */
  afterKey?: string
  /** Records seen since the search was (re)started. */
  seen?: number
  /** The last key of this query so far, and the end of the query before it, where queries overlap. */
  tail?: Tail
  ties?: Tail
  /** The provider's limit, once the list has reached it. */
  truncated?: number
  /** Page of the parents, and which of them is being read: its place there and its key. */
  parents?: PageState
  parent?: number
  parentKey?: string
  /** The record whose own list is being read, in a list of records that have lists. */
  inner?: InnerParent
  /** Lists that follow within this parent: of such records, and the rest of lists that they interrupt. */
  waiting?: WaitingList[]
  /** What notices pages that come again and again. */
  loop?: PageLoop
  /** The part of a window that is read in parts. */
  step?: Step
  /** True when the read uses the request of `incremental.read`. */
  window?: boolean
  /** True in the list of deleted records, which follows the others. */
  deleted?: boolean
  /** Where that list begins, if it does not go back to the beginning of the window. Milliseconds since 1970. */
  deletedFrom?: number
  /** The job of the provider that is read instead of the list. */
  job?: JobState
}

/** A record that is the parent of a list. Its depth is 1 in the list of the parent. */
export interface InnerParent {
  id: string
  depth: number
}

/** A list to read, from a page of it. Without `inner`, it is that of the parent. */
export interface WaitingList {
  inner?: InnerParent
  child: PageState
}

export function encodePage(state: PageState): string {
  return Buffer.from(JSON.stringify(state), 'utf8').toString('base64url')
}

/** Returns the token of the next page; undefined behind the last one. The state says what the next page has of this. */
export function nextToken(
  next: PageState | undefined,
  { useWindow = false, state = {} }: { useWindow?: boolean; state?: PageState } = {},
): string | undefined {
  if (next === undefined) return undefined
  const { deleted, deletedFrom } = state
  return encodePage({ ...next, ...(useWindow && { window: true }), ...(deleted && { deleted, deletedFrom }) })
}

/**
 * Whether a page token is a position in the result of a query. A query that failed has no other result, and that of a
 * query is not kept long: a read that begins later starts another query.
 */
export function isOfQuery(token: string): boolean {
  return parse(token)?.result !== undefined
}

/** @throws ProviderError `cursor_gone` for a text that is not a page token of ours */
export function decodePage(token: string): PageState {
  const state = parse(token)
  if (state === undefined) throw new ProviderError('cursor_gone', 'The page token is not one of this connector.')
  return state
}

function parse(token: string): PageState | undefined {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
  return stateOf(value)
}

function stateOf(value: unknown): PageState | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const {
    url,
    cursor,
    result,
    page,
    session,
    offset,
    afterKey,
    seen,
    tail,
    ties,
    truncated,
    step,
    window,
    deleted,
    deletedFrom,
    parents,
    parent,
    parentKey,
    inner,
    waiting,
    loop,
    job,
  } = value as Record<string, unknown>
  const state: PageState = {}
  const parentsState = stateOf(parents)
  if (parentsState !== undefined) state.parents = parentsState
  if (Number.isSafeInteger(parent)) state.parent = parent as number
  if (typeof parentKey === 'string') state.parentKey = parentKey
  if (isInner(inner)) state.inner = inner
  if (Array.isArray(waiting)) state.waiting = waiting.flatMap(waitingListOf)
  if (typeof url === 'string') state.url = url
  if (typeof cursor === 'string') state.cursor = cursor
  if (isResultState(result)) state.result = result
  if (Number.isSafeInteger(page)) state.page = page as number
  if (typeof session === 'string') state.session = session
  if (Number.isSafeInteger(offset)) state.offset = offset as number
  if (typeof afterKey === 'string') state.afterKey = afterKey
  if (Number.isSafeInteger(seen)) state.seen = seen as number
  if (isTail(tail)) state.tail = tail
  if (isTail(ties)) state.ties = ties
  if (Number.isSafeInteger(truncated)) state.truncated = truncated as number
  if (isStep(step)) state.step = step
  const known = loopOf(loop)
  if (known !== undefined) state.loop = known
  if (typeof window === 'boolean') state.window = window
  if (typeof deleted === 'boolean') state.deleted = deleted
  if (Number.isSafeInteger(deletedFrom)) state.deletedFrom = deletedFrom as number
  if (isJobState(job)) state.job = job
  return state
}

function isInner(value: unknown): value is InnerParent {
  return isObject(value) && typeof value['id'] === 'string' && Number.isSafeInteger(value['depth'])
}

function waitingListOf(value: unknown): WaitingList[] {
  const child = isObject(value) ? stateOf(value['child']) : undefined
  if (!isObject(value) || child === undefined) return []
  const { inner } = value
  return [{ ...(isInner(inner) && { inner }), child }]
}

function isTail(value: unknown): value is Tail {
  if (!isObject(value)) return false
  const { key, marks } = value
  return typeof key === 'string' && Array.isArray(marks) && marks.every((mark) => typeof mark === 'string')
}

function isStep(value: unknown): value is Step {
  if (!isObject(value)) return false
  const { from, end, ms = 1 } = value
  return [from, end, ms].every((time) => Number.isSafeInteger(time)) && Number(ms) > 0
}

function loopOf(value: unknown): PageLoop | undefined {
  if (!isObject(value)) return undefined
  const { mark, left, span, again } = value
  const isWhole = [left, span, again].every((count) => Number.isSafeInteger(count))
  return typeof mark === 'string' && isWhole ? (value as unknown as PageLoop) : undefined
}
