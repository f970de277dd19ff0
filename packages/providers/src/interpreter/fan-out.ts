import { ProviderError } from '../provider-error.ts'
import type { WindowFilter } from './incremental.ts'
import { type CompiledListing, fetchPage, type ListedPage } from './listing.ts'
import type { ObjectPlan } from './object-plan.ts'
import type { PageState } from './page-token.ts'
import { scalarText } from './path.ts'
import { type Scope, scopeOf } from './scope.ts'
import type { Session } from './session.ts'

/** Requests of one page at most: a page of ours is committed after it, so that a read that is interrupted loses little. */
const requestsMax = 20

/** One page of parents is held, whatever their number. */
export interface HeldParents {
  at?: string
  page?: ListedPage
}

export interface FanOut {
  session: Session
  base: URL
  plan: ObjectPlan
  listing: CompiledListing
  scope: Scope
  held: HeldParents
  /** Drops what is not in the window, where the provider cannot. */
  filter: WindowFilter | undefined
  pageSize: number
  signal: AbortSignal | undefined
}

/**
 * Records of one parent after the other, one request at a time, until there are enough for a page. The state names the page of parents,
 * the parent in it, and the page of that parent's own list: a read goes on there, with one request more for the parents.
 */
export async function fetchFanOut(fanOut: FanOut, state: PageState): Promise<ListedPage> {
  const { session, base, plan, listing, scope, held, filter, pageSize, signal } = fanOut
  const records: unknown[] = []
  let { parents = {}, parent: place = 0, parentKey, ...child } = state
  let response: ListedPage['response'] | undefined
  for (let requests = 0; ; ) {
    const at = JSON.stringify(parents)
    if (held.page === undefined || held.at !== at) {
      held.page = await fetchParents(fanOut, parents)
      held.at = at
      requests++
    }
    const { page } = held
    if (parentKey !== undefined) place = placeOf(page.records, parentKey, place)
    parentKey = undefined
    response ??= page.response
    if (place >= page.records.length) {
      if (page.next === undefined) return { records: once(records, plan), response, next: undefined }
      parents = page.next
      place = 0
    } else {
      const parent = page.records[place]
      const inner = { state: child, pageSize: listing.pageSizeMax, signal }
      const answer = await unlessRefused(plan, () =>
        fetchPage(session, base, listing, scopeOf({ parent }, scope), inner),
      )
      requests++
      const { kept, ended } = filter?.(answer?.records ?? []) ?? { kept: answer?.records ?? [], ended: false }
      for (const record of kept) records.push(plan.parents?.withKept(record, parent))
      // The newest of a parent come first: behind one that is too old there is nothing new of this parent.
      const next = ended ? undefined : answer?.next
      if (next === undefined) place++
      child = next ?? {}
    }
    const over = page.next === undefined && place >= page.records.length
    if (!over && (records.length >= pageSize || requests >= requestsMax)) {
      const key = keyOf(page.records[place])
      const next: PageState = { ...child, parents, parent: place, ...(key !== undefined && { parentKey: key }) }
      return { records: once(records, plan), response, next }
    }
  }
}

async function fetchParents({ session, base, plan, scope, signal }: FanOut, state: PageState): Promise<ListedPage> {
  if (plan.parents === undefined) throw new Error('This object has no parents.')
  return fetchPage(session, base, plan.parents.listing, scope, { state, signal })
}

async function unlessRefused<T>(plan: ObjectPlan, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    const refused = error instanceof ProviderError && (error.class === 'forbidden' || error.class === 'not_found')
    if (!refused || plan.parents?.mayRefuse !== true) throw error
    return undefined
  }
}

/** Where the parent is now: others may have come or gone before it since its page was read. */
function placeOf(parents: readonly unknown[], key: string, place: number): number {
  const found = parents.findIndex((parent) => keyOf(parent) === key)
  return found < 0 ? place : found
}

function keyOf(parent: unknown): string | undefined {
  return typeof parent === 'object' && parent !== null && 'id' in parent ? scalarText(parent.id) : undefined
}

/** A record that belongs to several parents once, as far as one page knows. */
function once(records: readonly unknown[], plan: ObjectPlan): unknown[] {
  const seen = new Set<string>()
  return records.filter((record) => {
    const id = scalarText(plan.id(record))
    if (id === undefined) return true
    return !seen.has(id) && seen.add(id)
  })
}
