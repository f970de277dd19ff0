import {
  type Collection,
  collectionsOf,
  fillPath,
  nameCollections,
  parametersOf,
  shownPath,
  wordsOf,
} from './collections.ts'
import { fieldsOf, flattened, propertyShapes } from './fields.ts'
import { defined, type Json, objectOf as jsonOf, shorten } from './json-values.ts'
import { type Candidate, candidatesOf, neededText } from './list-candidates.ts'
import { listingOf } from './listing.ts'
import type { Operation } from './operations.ts'
import { type Parent, parentOf } from './parents.ts'
import { idPropertyOf } from './record-ids.ts'
import type { References } from './schemas.ts'
import { windowOf } from './windows.ts'
import { writesOf } from './writes.ts'

/** The objects of an API, and what is not known about them. */
export interface LearnedObjects {
  objects: Record<string, Json>
  /** Paths that look like lists, whether an object came of them or not. */
  lists: number
  unknown: string[]
  /** What is not known about each object. */
  notes: Map<string, string[]>
}

interface Kept {
  candidate: Candidate
  parent: Parent | undefined
}

/** Learns an object for each list of an API. */
export function objectsOf(operations: readonly Operation[], references: References): LearnedObjects {
  const collections = collectionsOf(operations)
  const { candidates, lists, unknown } = candidatesOf(collections, references)
  const learned: LearnedObjects = { objects: {}, lists, unknown, notes: new Map() }
  const kept = candidates.flatMap((candidate): Kept[] => {
    if (!isChild(candidate)) return [{ candidate, parent: undefined }]
    const parent = parentOf(candidate, candidates, references)
    return parent === undefined ? [] : [{ candidate, parent }]
  })
  const keys = new Set(kept.map(({ candidate }) => candidate.collection.key))
  unknown.push(...orphanTexts(candidates.filter(({ collection }) => !keys.has(collection.key))))
  const names = nameCollections([...keys])
  for (const { candidate, parent } of kept) {
    const name = names.get(candidate.collection.key) ?? candidate.collection.key
    const made = objectOf(candidate, parent, homeOf(candidate, parent, collections), references)
    learned.objects[name] = made.object
    learned.notes.set(name, made.unknown)
  }
  return learned
}

function isChild({ operation, owner }: Candidate): boolean {
  return owner !== undefined || parametersOf(operation.path).length > 0
}

/** Says which lists need values that no other list has, by these values. */
function orphanTexts(orphans: readonly Candidate[]): string[] {
  const groups = new Map<string, { parameters: string[]; paths: string[] }>()
  const texts: string[] = []
  for (const { operation, owner } of orphans) {
    const path = shownPath(operation.path)
    if (owner !== undefined) {
      texts.push(`${path} is left out: ${neededText([owner])}`)
      continue
    }
    const parameters = parametersOf(operation.path)
    const key = parameters.join(' ')
    groups.set(key, { parameters, paths: [...(groups.get(key)?.paths ?? []), path] })
  }
  return [...texts, ...[...groups.values()].map(orphanText)]
}

/** Says which lists need values that no other list has. */
function orphanText({ parameters, paths }: { parameters: string[]; paths: string[] }): string {
  const values = parameters.map((name) => `{${name}}`).join(', ')
  const options = parameters.filter((name) => /^[\w.-]+$/.test(name)).map((name) => `--input ${name}`)
  const hint = options.length < parameters.length ? '' : `. If customers enter them: ${options.join(' ')}`
  return `left out, because no list has the values of ${values}: ${shorten(paths, 3)}${hint}`
}

/** The resource whose requests write the records of a list. */
function homeOf(
  { collection, resource, owner }: Candidate,
  parent: Parent | undefined,
  collections: ReadonlyMap<string, Collection>,
): Collection | undefined {
  if (parent !== undefined && owner === undefined) return collections.get(`/${resource}`)
  // The records of `/contacts/search` are written at `/contacts`.
  const isSearch = wordsOf(collection.key).at(-1) !== resource
  return isSearch ? collections.get(collection.key.slice(0, collection.key.lastIndexOf('/'))) : collection
}

function objectOf(
  candidate: Candidate,
  parent: Parent | undefined,
  home: Collection | undefined,
  references: References,
): { object: Json; unknown: string[] } {
  const { collection, operation, owner, list, resource, notes } = candidate
  const asked = { ...operation, query: operation.query.filter(({ name }) => name !== owner?.name) }
  const { request, unknown } = listingOf(asked, list)
  unknown.push(...notes)
  const record = flattened(list.record, references)
  const properties = propertyShapes(record.shape, references)
  // A list per parent is not where records are created.
  const creates = parent === undefined ? home?.list : undefined
  const writes = writesOf({ list: creates ?? new Map(), one: home?.one ?? new Map() }, resource, references)
  unknown.push(...writes.unknown)
  const idParameter = home?.idParameter ?? collection.idParameter
  const id = idPropertyOf(idParameter, resource, properties.keys())
  if (id === undefined) unknown.push('the id is unknown: set `id` under `read`')
  else if (!id.isSure) {
    const called = idParameter === undefined ? '' : `: paths call it {${idParameter}}`
    unknown.push(`the id may be another property than ${id.name}${called}`)
  }
  const read = defined({
    ...request,
    id: id === undefined || id.name === 'id' ? undefined : id.name,
    flatten: record.flatten,
  })
  if (parent !== undefined) {
    Object.assign(read, perParent(candidate, read, parent))
    unknown.push(...parent.notes, ...unwritten(candidate, home))
  }
  const fields = fieldsOf(properties, writes.required)
  const hasFields = Object.keys(fields).length > 0
  if (!hasFields) unknown.push('the fields are unknown: the document does not describe the record')
  const object = defined({
    read,
    incremental: windowOf(operation, record.shape, properties),
    write: writes.write,
    get: writes.get,
    fields: hasFields ? [{ source: 'static', fields }] : undefined,
  })
  return { object, unknown }
}

/** Says which requests would write records of a list per parent, but need the parent. */
function unwritten({ collection, operation }: Candidate, home: Collection | undefined): string[] {
  if (home !== undefined) return []
  const kinds = [
    ...(collection.list.has('POST') ? ['create'] : []),
    ...(['PATCH', 'PUT'].some((method) => collection.one.has(method)) ? ['update'] : []),
    ...(collection.one.has('DELETE') ? ['delete'] : []),
  ]
  const values = parametersOf(operation.path).map((name) => `{${name}}`)
  return kinds.length === 0 ? [] : [`${kinds.join(', ')} left out: the path needs ${values.join(', ')}`]
}

/** Reads the list once per record of its parent list. */
function perParent({ operation, owner }: Candidate, read: Json, { candidate, values }: Parent): Json {
  const { total: _, ...request } = listingOf(candidate.operation, candidate.list).request
  const templates = values.map((value) => `{{parent.${value}}}`)
  const id = values.length === 1 || !candidate.list.record.properties.has('id') ? values.at(-1) : 'id'
  const each = { ...request, ...(id !== 'id' && { id }) }
  if (owner === undefined) return { path: fillPath(operation.path, templates), each }
  return { query: { ...jsonOf(read['query']), [owner.name]: templates[0] }, each }
}
