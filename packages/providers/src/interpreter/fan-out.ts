import { ProviderError } from '../provider-error.ts'
import type { WindowFilter } from './incremental.ts'
import { type CompiledListing, fetchPage, type ListedPage } from './listing.ts'
import type { Matcher } from './match.ts'
import type { InnerParent, PageState, WaitingList } from './page-token.ts'
import { isObject, scalarText } from './path.ts'
import { ofNoPart } from './refused-part.ts'
import { type Scope, scopeOf } from './scope.ts'
import type { Session } from './session.ts'

/**
 * Requests of one page at most: a page of ours is committed after it, so that a read that is interrupted loses little.
 */
const requestsMax = 20

/** Deeper lists of records that have lists are a circle. */
const depthMax = 50

/** The list of records that each have their own list. */
export interface Parents {
  /** A page of them. */
  fetch(at: ParentsAt, state: PageState): Promise<ListedPage>
  /** Tells a parent from all others. */
  id(parent: unknown): string | undefined
  /** Whether the list of a parent is left out where the provider refuses it. */
  mayRefuse: Matcher
  /** The same for parents that no other parent lists. */
  mayRefuseOuter: Matcher
  /** Whether this copy of a record counts before those of other parents. */
  prefers: Matcher
  /** Whether a record is the parent of a list, too. */
  isParent: Matcher
  /** The parent under the id of a record that is a parent, too. */
  withId(parent: object, id: string): object
  /** A record with what it is to have of its parent. */
  withKept(record: unknown, parent: unknown): unknown
}

export interface ParentsAt {
  session: Session
  base: URL
  scope: Scope
  signal: AbortSignal | undefined
  /** What is in memory of the parents of these parents. */
  parentCache: ParentCache
}

/** One page of parents is in memory, whatever their number. */
export interface ParentCache {
  at?: string
  page?: ListedPage
  /** The error that ended the previous page early: thrown when the next one is requested. */
  failure?: { at: string; index: number; error: unknown } | undefined
  /** The same of the parents of these parents. */
  outer?: ParentCache
}

export interface FanOut {
  session: Session
  base: URL
  plan: { parents: Parents | undefined; id: (record: unknown) => unknown }
  listing: CompiledListing
  scope: Scope
  parentCache: ParentCache
  /** Drops what is not in the window, where the provider cannot. */
  filter: WindowFilter | undefined
  pageSize: number
  signal: AbortSignal | undefined
}

/** Where a read stands, and what it has found since its page began. */
interface Walk {
  /** Names the page of parents. */
  parents: PageState
  /** The position of the parent in it, and its id if it was stored. */
  index: number
  parentKey: string | undefined
  /** The page of that parent's own list, or of the list of one of its records. */
  child: PageState
  inner: InnerParent | undefined
  /** Lists that follow before the next parent. The last one is next. */
  waiting: WaitingList[]
  records: unknown[]
  /** Lists of requested parents. */
  asked: number
}

/**
 * Yields records of one parent after the other, one request at a time, until there are enough for a page. The state
 * names the page of parents, the parent in it, and the page of that parent's own list: a read resumes there, with one
 * additional request for the parents. An error ends a page that has records already, and is thrown when the next one is
 * requested: no request is repeated because of it.
 */
export async function fetchFanOut(fanOut: FanOut, state: PageState): Promise<ListedPage> {
  const { plan, parentCache, pageSize, signal } = fanOut
  const { parents = {}, parent: index = 0, parentKey, inner, waiting = [], ...child } = state
  const { failure } = parentCache
  parentCache.failure = undefined
  if (failure?.at === textOf(parents) && failure.index === index) throw failure.error
  const walk: Walk = { parents, index, parentKey, child, inner, waiting: [...waiting], records: [], asked: 0 }
  for (let steps = 1; ; steps++) {
    let page: ListedPage | undefined
    try {
      page = await step(fanOut, walk)
    } catch (error) {
      page = parentCache.page
      if (walk.asked === 0 || page === undefined || signal?.aborted) throw error
      parentCache.failure = { at: textOf(walk.parents), index: walk.index, error }
      return { records: once(walk.records, plan), response: page.response, next: stateOf(walk, fanOut) }
    }
    const { response } = page
    if (page.next === undefined && walk.index >= page.records.length)
      return { records: once(walk.records, plan), response, next: undefined }
    if (walk.records.length >= pageSize || steps >= requestsMax)
      return { records: once(walk.records, plan), response, next: stateOf(walk, fanOut) }
  }
}

/** Asks for the page of parents, or for a page of one parent's list. Answers the page of parents. */
async function step(fanOut: FanOut, walk: Walk): Promise<ListedPage> {
  const { session, base, plan, listing, scope, parentCache, filter, signal } = fanOut
  const there = parentCache.at === textOf(walk.parents) ? parentCache.page : undefined
  if (there?.next !== undefined && walk.index >= there.records.length) {
    const first = { parentKey: undefined, child: {}, inner: undefined, waiting: [] }
    Object.assign(walk, { ...first, parents: there.next, index: 0 })
    return step(fanOut, walk)
  }
  if (there === undefined) {
    const page = await fetchParents(fanOut, walk.parents)
    parentCache.page = page
    parentCache.at = textOf(walk.parents)
    if (walk.parentKey !== undefined) walk.index = indexOfParent(fanOut, page.records, walk)
    return page
  }
  const outer = there.records[walk.index]
  const { inner: of } = walk
  const parent = of === undefined || !isObject(outer) ? outer : (plan.parents?.withId(outer, of.id) ?? outer)
  if (walk.index < there.records.length) {
    const inner = { state: walk.child, pageSize: listing.pageSizeMax, signal }
    const innerScope = scopeOf({ parent }, scope)
    const mayRefuse = of === undefined ? plan.parents?.mayRefuseOuter : plan.parents?.mayRefuse
    const answer = await unlessRefused(mayRefuse?.(parent) === true, () =>
      fetchPage(session, base, listing, innerScope, inner),
    )
    walk.asked++
    const { kept, ended } = filter?.(answer?.records ?? []) ?? { kept: answer?.records ?? [], ended: false }
    for (const record of kept) walk.records.push(plan.parents?.withKept(record, parent))
    // The newest of a parent come first: behind one that is too old there is nothing new of this parent.
    const next = ended ? undefined : answer?.next
    if (next !== undefined) walk.waiting.push({ ...(of && { inner: of }), child: next })
    // A record that is dropped may have a list: a folder, where files are read.
    walk.waiting.push(...innerLists(plan, answer?.listed ?? [], of))
    const following = walk.waiting.pop()
    if (following === undefined) walk.index++
    walk.inner = following?.inner
    walk.child = following?.child ?? {}
    walk.parentKey = undefined
  }
  return there
}

/** The lists of records that have one, so that the first record comes first. */
function innerLists(plan: FanOut['plan'], records: readonly unknown[], of: InnerParent | undefined): WaitingList[] {
  const depth = (of?.depth ?? 0) + 1
  const ids = records.filter((record) => plan.parents?.isParent(record)).map((record) => scalarText(plan.id(record)))
  const lists = ids.flatMap((id) => (id === undefined ? [] : [{ inner: { id, depth }, child: {} }])).toReversed()
  if (lists.length > 0 && depth > depthMax)
    throw new ProviderError('unexpected_response', `Records have lists of records more than ${depthMax} levels deep.`)
  return lists
}

function stateOf(walk: Walk, { parentCache, plan }: FanOut): PageState {
  const { parents, index, parentKey, child, inner, waiting } = walk
  const key =
    parentKey ?? (parentCache.at === textOf(parents) ? plan.parents?.id(parentCache.page?.records[index]) : undefined)
  return {
    ...child,
    parents,
    parent: index,
    ...(key !== undefined && { parentKey: key }),
    ...(inner && { inner }),
    ...(waiting.length > 0 && { waiting }),
  }
}

/** Tells pages of parents apart; one that went through a token has its keys in another order. */
function textOf(page: PageState): string {
  return JSON.stringify(Object.entries(page).toSorted(([one], [two]) => (one < two ? -1 : 1)))
}

async function fetchParents(
  { session, base, plan, scope, signal, parentCache }: FanOut,
  state: PageState,
): Promise<ListedPage> {
  if (plan.parents === undefined) throw new Error('This object has no parents.')
  parentCache.outer ??= {}
  const { parents } = plan
  const at = { session, base, scope, signal, parentCache: parentCache.outer }
  return ofNoPart(() => parents.fetch(at, state))
}

async function unlessRefused<T>(mayRefuse: boolean, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    const refused = error instanceof ProviderError && (error.class === 'forbidden' || error.class === 'not_found')
    if (!refused || !mayRefuse) throw error
    return undefined
  }
}

/** Where the parent is now: others may have come or gone before it since its page was read. */
function indexOfParent({ plan }: FanOut, parents: readonly unknown[], { parentKey, index }: Walk): number {
  const isIt = (parent: unknown) => plan.parents?.id(parent) === parentKey
  // Parents of several other parents may share an id.
  const found = isIt(parents[index]) ? index : parents.findIndex(isIt)
  return found < 0 ? index : found
}

/**
 * A record that belongs to several parents once, as far as one page knows: in the place of the first, as the first that
 * is preferred.
 */
function once(records: readonly unknown[], plan: FanOut['plan']): unknown[] {
  const prefers = plan.parents?.prefers ?? (() => true)
  const kept: unknown[] = []
  const indexes = new Map<string, number>()
  for (const record of records) {
    const id = scalarText(plan.id(record))
    const index = id === undefined ? undefined : indexes.get(id)
    if (index === undefined) {
      if (id !== undefined) indexes.set(id, kept.length)
      kept.push(record)
    } else if (prefers(record) && !prefers(kept[index])) kept[index] = record
  }
  return kept
}
