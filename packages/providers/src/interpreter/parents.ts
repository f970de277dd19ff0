import type { ReadObject } from '../catalogue/format/provider-file.ts'
import { compileLoad } from './fields.ts'
import { type CompiledListing, compileListing, fetchPage, type ListedPage } from './listing.ts'
import { compileMatch, type Matcher } from './match.ts'
import type { PageState } from './page-token.ts'
import { compilePath, isObject, scalarText } from './path.ts'
import type { Scope } from './scope.ts'
import type { Session } from './session.ts'
import type { Variables } from './template.ts'

type Each = NonNullable<ReadObject['read']['each']>

/** The list of records that each have their own list. */
export interface Parents {
  /** A page of them. */
  fetch(at: ParentsAt, state: PageState): Promise<ListedPage>
  /** Tells a parent from all others. */
  id(parent: unknown): string | undefined
  mayRefuse: boolean
  /** Whether this copy of a record counts before those of other parents. */
  prefers: Matcher
  /** A record with what it is to have of its parent. */
  withKept(record: unknown, parent: unknown): unknown
}

interface ParentsAt {
  session: Session
  base: URL
  scope: Scope
  signal: AbortSignal | undefined
}

/** @param text the variables of the object, which paths into the answer may name */
export function compileParents(each: Each, text: Variables): Parents {
  const { path, values } = each
  const listing = path === undefined ? undefined : compileListing({ ...each, path }, text)
  /** Of a parent that was combined with a value: the place of that value. */
  const places = new WeakMap<object, number>()
  const combine = (parent: object) =>
    (values ?? []).map((value, place) => {
      const made = { ...parent, ...value }
      places.set(made, place)
      return made
    })
  const load = compilePath(each.id ?? 'id')
  return {
    async fetch(at, state) {
      if (listing === undefined) return { records: combine({}), response: noResponse, next: undefined }
      const page = await fetchListed(listing, at, state)
      if (values === undefined) return page
      return { ...page, records: page.records.flatMap((parent) => (isObject(parent) ? combine(parent) : [parent])) }
    },
    id(parent) {
      const id = scalarText(load(parent))
      const place = isObject(parent) ? places.get(parent) : undefined
      return place === undefined ? id : `${place}:${id ?? ''}`
    },
    mayRefuse: each.mayRefuse === true,
    prefers: compileMatch(each.prefer),
    withKept: compileKeep(each.keep),
  }
}

const noResponse = { status: 200, headers: {}, body: '', json: undefined }

function fetchListed(listing: CompiledListing, { session, base, scope, signal }: ParentsAt, state: PageState) {
  return fetchPage(session, base, listing, scope, { state, signal })
}

/** Values of a parent as fields of its records; what a record has itself stays. */
function compileKeep(keep: Record<string, string> = {}): Parents['withKept'] {
  const loads = Object.entries(keep).map(([field, path]) => [field, compileLoad(path)] as const)
  if (loads.length === 0) return (record) => record
  return (record, parent) => {
    if (!isObject(record)) return record
    const kept = loads.map(([field, load]) => [field, load(parent)] as const).filter(([, value]) => value !== undefined)
    return { ...Object.fromEntries(kept), ...record }
  }
}
