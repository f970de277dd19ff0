import type { Parents as Each } from '../catalogue/format/read.ts'
import { fetchFanOut, type Parents } from './fan-out.ts'
import { compileKeep } from './kept-values.ts'
import { compileListing, fetchPage } from './listing.ts'
import { compileMatch } from './match.ts'
import { compilePath, isObject, scalarText } from './path.ts'
import type { Variables } from './template.ts'

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
  const mayRefuse = typeof each.mayRefuse === 'object' ? compileMatch(each.mayRefuse) : () => each.mayRefuse === true
  const idName = each.id ?? 'id'
  const load = compilePath(idName)
  const parents = each.each === undefined ? undefined : compileParents(each.each, text)
  return {
    async fetch(at, state) {
      if (listing === undefined) return { records: combine({}), response: noResponse, next: undefined }
      const page =
        parents === undefined
          ? await fetchPage(at.session, at.base, listing, at.scope, { state, signal: at.signal })
          : await fetchFanOut(
              { ...at, plan: { parents, id: noId }, listing, filter: undefined, pageSize: listing.pageSizeMax },
              state,
            )
      if (values === undefined) return page
      return { ...page, records: page.records.flatMap((parent) => (isObject(parent) ? combine(parent) : [parent])) }
    },
    id(parent) {
      const id = scalarText(load(parent))
      const place = isObject(parent) ? places.get(parent) : undefined
      return place === undefined ? id : `${place}:${id ?? ''}`
    },
    mayRefuse,
    // The file names the root of a tree: without it, there is nothing to read.
    mayRefuseOuter: each.nested === undefined || each.path !== undefined ? mayRefuse : () => false,
    prefers: compileMatch(each.prefer),
    isParent: each.nested === undefined ? () => false : compileMatch(each.nested),
    withId: (parent, id) => ({ ...parent, id, [idName]: id }),
    withKept: compileKeep(each.keep),
  }
}

/** Parents of several other parents may share an id: all of them are read. */
const noId = () => undefined

const noResponse = { status: 200, headers: {}, body: '', json: undefined }
