import { StandInLimit } from '../tried.ts'
import type { Values } from './fill.ts'
import { isJson, type Json, valueAt, withValue } from './json-paths.ts'
import { namesNextPage, pageSizeOf } from './list-pages.ts'
import { idOf, parentOf, type RecordChoice, type RecordFacts, recordOf } from './records.ts'
import { withNumber } from './rows.ts'
import { type Route, routesOf } from './stand-in.ts'
import { withWideFields } from './wide-fields.ts'

/** Lists below parents, at most: a file may combine its parents with any number of values. */
const listsMax = 500

/** A list of an object, with the lists of its parents. */
export interface Source {
  routes: Route[]
  /** Ids of all records, in order. */
  ids: string[]
  /** Those of deleted records among them. */
  deleted: string[]
}

/** Which records a list has; the default is two full pages and one more record. */
export interface Contents {
  isEmpty?: boolean
  /** Records of a full page, where the caller decides. */
  pageSize?: number
  /** Further records at the end, which `ids` does not have where the file says that they are dropped. */
  further?: { choice: RecordChoice; isDropped: boolean }[]
  isDeleted?: boolean
}

/** @param values variables of the connection and of the object */
export function sourceOf(facts: RecordFacts, base: string, values: Values, contents: Contents): Source {
  const { read } = facts
  const { each } = read as { each?: Json }
  let number = 1000
  const routes: Route[] = []
  const ids: string[] = []
  const deleted: string[] = []
  const { kept, parents, ...outer } = parentsOf(each, base, values, read)
  routes.push(...outer.routes)
  for (const [place, parent] of parents.entries()) {
    const list = { listing: read, base, values: { ...values, ...(parent && { parent }) } }
    const pageSize = parent === undefined ? contents.pageSize : undefined
    const full = pageSizeOf({ listing: read, ...(pageSize !== undefined && { pageSize }) })
    const isPaged = isJson(read['paging']) && read['paging']['kind'] !== 'none'
    // The first parent has three pages, the second one record, the third none.
    const count = contents.isEmpty ? 0 : ([isPaged ? 2 * full + 1 : 3, 1, 0][place % 3] ?? 0)
    const make = (choice: RecordChoice) =>
      withWideFields(
        recordOf(facts, number++, { ...choice, kept, ...(contents.isDeleted && { isDeleted: true }) }),
        read,
        values,
      )
    const regular = Array.from({ length: count }, () => make({}))
    const further = (contents.further ?? []).map(({ choice, isDropped }) => ({
      item: make(choice),
      isDropped,
      isDeleted: choice.isDeleted === true,
    }))
    const records = [...regular, ...further.map(({ item }) => item)].map((item, at) => withNumber(item, read, at))
    for (const [at, item] of records.entries()) {
      const one = further[at - regular.length]
      if (one?.isDropped === true) continue
      ids.push(idOf(facts, item, parent))
      if (one?.isDeleted === true) deleted.push(idOf(facts, item, parent))
    }
    const own = routesOf({ ...list, records, ...(pageSize !== undefined && { pageSize }) }, true)
    const isRefused = each?.['mayRefuse'] === true && place % 3 === 2 && records.length === 0
    routes.push(...(isRefused ? own.map((route) => ({ ...route, answer: () => notFound })) : own))
  }
  return { routes, ids, deleted }
}

const notFound = { status: 404, body: { message: 'The parent has no such list.' } }

interface Parents {
  routes: Route[]
  /** One that is undefined: the list has no parents. */
  parents: (Json | undefined)[]
  /** Fields that records have of their parents. */
  kept: string[]
}

function parentsOf(each: Json | undefined, base: string, values: Values, below: unknown): Parents {
  if (each === undefined) return { routes: [], parents: [undefined], kept: [] }
  const { keep = {}, each: outer, values: given, path } = each as Record<string, Json | undefined>
  const above = parentsOf(outer, base, values, each)
  const routes = [...above.routes]
  const parents: Json[] = []
  let number = 1
  for (const upper of above.parents) {
    const own = path === undefined ? [{}] : [0, 1, 2].map(() => parentOf(each, below, number++))
    if (path !== undefined) {
      const items = own.map((one) => wrapped(one, each))
      const list = { listing: each, base, values: { ...values, ...(upper && { parent: upper }) }, records: items }
      routes.push(...routesOf({ ...list, shortPages: namesNextPage(each) }, false))
    }
    const kept = keptOf(outer, upper)
    const count = own.length * (Array.isArray(given) ? given.length : 1)
    if (parents.length + count > listsMax) throw new StandInLimit(`the object has more than ${listsMax} lists`)
    for (const one of own)
      for (const value of Array.isArray(given) ? (given as Json[]) : [{}]) parents.push({ ...kept, ...one, ...value })
  }
  return { routes, parents, kept: Object.keys(keep) }
}

function keptOf(each: Json | undefined, parent: Json | undefined): Json {
  const keep = (each?.['keep'] ?? {}) as Record<string, string>
  return Object.fromEntries(Object.entries(keep).map(([field, path]) => [field, valueAt(parent, path)]))
}

function wrapped(record: unknown, { unwrap }: Json): unknown {
  return unwrap === undefined ? record : withValue({}, String(unwrap), record)
}
