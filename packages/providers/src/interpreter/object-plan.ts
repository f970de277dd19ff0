import type { ReadObject } from '../catalogue/format/provider-file.ts'
import { type CompiledAssociation, compileAssociations } from './associations.ts'
import { type CompiledCustomFields, compileCustomFields } from './custom-fields.ts'
import { compileExtraction } from './extraction.ts'
import type { Parents } from './fan-out.ts'
import type { ExtractedFields, FieldReader } from './fields.ts'
import { type CompiledJob, compileJob } from './jobs/compile-job.ts'
import { type CompiledListing, compileListing } from './listing.ts'
import { mergeTree } from './merge-tree.ts'
import { compileParents } from './parents.ts'
import { compilePath, scalarText } from './path.ts'
import { compileId, idPaths } from './record-id.ts'
import { scopeOf, textOf } from './scope.ts'
import { namedPath } from './template.ts'

/** What a list of fields selects, compiled. */
export interface Selection {
  read: FieldReader
  /** Associations that are among the fields. */
  linked: readonly CompiledAssociation[]
}

/** A list of the object, and the periods that it is read in. */
export type ReadListing = CompiledListing & Pick<ReadObject['read'], 'periods'>

/** The requests and readers of an object, compiled. */
export interface ObjectPlan {
  full: ReadListing
  /** The request of `incremental.read`; the same as `full` where the file declares no other. */
  window: ReadListing
  search: CompiledListing | undefined
  /** The request for several records by their ids. */
  byIds: { listing: CompiledListing; max: number } | undefined
  /** The request for further fields of several records, where the file declares `fieldsPerRequest`. */
  otherFields: { listing: CompiledListing; max: number; id: (record: unknown) => unknown } | undefined
  /** Takes out of a record what changes with it, where the file declares it. */
  version: ((record: unknown) => unknown) | undefined
  parents: Parents | undefined
  job: CompiledJob | undefined
  id: (record: unknown) => unknown
  /** Where `incremental.read` is a list of changes: the id of the changed record in an item. */
  changedId: ((item: unknown) => unknown) | undefined
  total: (json: unknown, headers: Record<string, string>) => number | undefined
  children: { field: string; listing: CompiledListing }[]
  associations: CompiledAssociation[]
  customFields: CompiledCustomFields | undefined
  /** Further fields of the record. */
  extract: ExtractedFields | undefined
  /** Paths of objects in the record whose keys are fields. */
  flatten: readonly string[]
  /** What lists of fields select, by the list. */
  selections: Map<string, Selection>
  /** The one that was used last, and for which list. */
  latest: { fields: 'all' | readonly string[]; selection: Selection } | undefined
}

const plans = new WeakMap<ReadObject, Map<string, ObjectPlan>>()

/** Names that one declaration serves are the customer's: so many are kept. */
const namesMax = 200

/** The object's requests, compiled once. */
export function planOf(object: ReadObject, name: string): ObjectPlan {
  const known = plans.get(object) ?? new Map<string, ObjectPlan>()
  plans.set(object, known)
  const found = known.get(name)
  if (found !== undefined) return found
  const plan = compilePlan(object, name)
  if (known.size >= namesMax) known.clear()
  known.set(name, plan)
  return plan
}

/** Whether a part of the id comes from elsewhere: another part of the record, or its parent. */
function isLifted(path: string, { lift = {}, each }: ReadObject['read']): boolean {
  return Object.hasOwn(lift, path) || Object.hasOwn(each?.keep ?? {}, path)
}

function compilePlan(object: ReadObject, name: string): ObjectPlan {
  const { read, incremental, search, readByIds } = object
  const text = textOf(scopeOf({ ...object.set, object: name }))
  const pathsOf = ({ id }: typeof read) => idPaths(id).map((path) => namedPath(path, text))
  const idOf = (list: typeof read) => compileId(pathsOf(list), list.format === 'csv')
  const listOf = (list: typeof read): ReadListing => {
    const ids = pathsOf(list).filter((path) => !isLifted(path, list))
    return { ...compileListing(list, text, ids), ...(list.periods && { periods: list.periods }) }
  }
  const full = listOf(read)
  const totalPath = read.total === undefined ? undefined : compilePath(namedPath(read.total, text))
  const totalHeader = read.totalHeader?.toLowerCase()
  const byIds = readByIds && { listing: compileListing(readByIds, text), max: readByIds.max }
  const { request, version, id: otherId } = read.fieldsPerRequest ?? {}
  const other = request === undefined ? byIds : { listing: compileListing(request, text), max: request.max }
  return {
    full,
    otherFields: read.fieldsPerRequest &&
      other && { ...other, id: otherId === undefined ? idOf(read) : compilePath(otherId) },
    version: version === undefined ? undefined : compileVersion(version, read.flatten),
    window: incremental?.read === undefined ? full : listOf(mergeTree(read, incremental.read)),
    byIds,
    search: search === undefined ? undefined : listOf(mergeTree(read, search)),
    parents: read.each && compileParents(read.each, text),
    id: idOf(read),
    changedId: incremental?.read?.getEach === true ? idOf(mergeTree(read, incremental.read)) : undefined,
    job: compileJob(read, text),
    total: (json, headers) => {
      const found = totalHeader === undefined ? scalarText(totalPath?.(json)) : headers[totalHeader]
      const total = found === undefined || found.trim() === '' ? Number.NaN : Number(found)
      return Number.isSafeInteger(total) && total >= 0 ? total : undefined
    },
    children: Object.entries(read.children ?? {}).map(([field, child]) => ({
      field,
      listing: compileListing(child, text),
    })),
    associations: compileAssociations(read.associations, text),
    customFields: read.customFields === undefined ? undefined : compileCustomFields(read.customFields, text),
    extract: compileExtraction(read.lift),
    flatten: read.flatten ?? [],
    selections: new Map(),
    latest: undefined,
  }
}

/** The field of this name, or where an object that is flattened has it. Its case is the provider's. */
function compileVersion(name: string, flatten: readonly string[] = []): (record: unknown) => unknown {
  const loads = ['', ...flatten.map((path) => `${path}.`)].map((before) => compilePath(`${before}${name}`))
  return (record) => loads.map((load) => load(record)).find((value) => value !== undefined)
}
