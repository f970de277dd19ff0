import { type Collection, collectionsOf, fillPath, nameCollections, parametersOf, wordsOf } from './collections.ts'
import { fieldsOf, propertyShapes } from './fields.ts'
import { defined, type Json } from './json-values.ts'
import type { Operation, Parameter } from './operations.ts'
import { isPagingName, pagingOf } from './paging.ts'
import { idPropertyOf } from './record-ids.ts'
import { type RecordList, recordListOf } from './record-lists.ts'
import type { References, Shape } from './schemas.ts'
import { isWindowName, windowOf } from './windows.ts'
import { writesOf } from './writes.ts'

/** The objects of an API, and what is not known about them. */
export interface LearnedObjects {
  objects: Record<string, Json>
  /** Paths that look like lists, whether an object came of them or not. */
  lists: number
  unknown: string[]
}

interface Listed {
  collection: Collection
  operation: Operation
  list: RecordList
  name: string
}

/** Paths that list, but not all records of a kind. */
const noLists = /^(search|query|find|export|autocomplete|suggest|suggestions|lookup|filter|batch)$/i

/** Learns an object for each list of an API. */
export function objectsOf(operations: readonly Operation[], references: References): LearnedObjects {
  const learned: LearnedObjects = { objects: {}, lists: 0, unknown: [] }
  const collections = collectionsOf(operations)
  const found: Omit<Listed, 'name'>[] = []
  for (const collection of collections.values()) {
    const operation = collection.list.get('GET')
    if (operation === undefined) continue
    const last = wordsOf(collection.key).at(-1) ?? ''
    const list = recordListOf(operation.answer, last, references)
    if (list === undefined) continue
    learned.lists++
    const reason = typeof list === 'string' ? list : leftOut(operation, last)
    if (reason !== undefined) learned.unknown.push(`${operation.path} is left out: ${reason}`)
    else if (typeof list !== 'string') found.push({ collection, operation, list })
  }
  const names = nameCollections(found.map(({ collection }) => collection.key))
  const listed = found.map((each): Listed => ({ ...each, name: names.get(each.collection.key) ?? each.collection.key }))
  const byKey = new Map(listed.map((each) => [each.collection.key, each]))
  for (const each of listed) {
    const parameters = parametersOf(each.operation.path)
    const parentKey = each.collection.key.split(/\/\{\}|\('?\{\}'?\)/)[0] ?? ''
    const parent = parameters.length === 1 ? byKey.get(parentKey) : undefined
    if (parameters.length > 0 && parent === undefined) {
      const whose = `${parameters.map((name) => `{${name}}`).join(', ')}`
      learned.unknown.push(`${each.operation.path} is left out: no list was recognized that has the values of ${whose}`)
      continue
    }
    const home = parent === undefined ? each.collection : collections.get(`/${wordsOf(each.collection.key).at(-1)}`)
    const made = objectOf(each, parent, home, references)
    learned.objects[each.name] = made.object
    learned.unknown.push(...made.unknown.map((sentence) => `${each.name}: ${sentence}`))
  }
  return learned
}

function leftOut(operation: Operation, last: string): string | undefined {
  if (operation.elsewhere) return 'it has another base URL'
  if (noLists.test(last)) return 'it looks like a search'
  const needed = operation.query.filter((parameter) => parameter.required && !isFilled(parameter))
  if (needed.length === 0) return undefined
  return `it needs the parameter ${needed
    .slice(0, 5)
    .map(({ name }) => name)
    .join(', ')}`
}

function isFilled(parameter: Parameter): boolean {
  return (isPagingName(parameter.name) && !isWindowName(parameter.name)) || fixedValue(parameter) !== undefined
}

/** The only value of a parameter, or its default. */
function fixedValue({ schema, shape }: Parameter): string | undefined {
  const value = schema['default'] ?? (shape.choices.length === 1 ? shape.choices[0] : undefined)
  const text = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : ''
  return text === '' || /[{}\r\n]/.test(text) ? undefined : text
}

function objectOf(
  { collection, operation, list }: Listed,
  parent: Listed | undefined,
  home: Collection | undefined,
  references: References,
): { object: Json; unknown: string[] } {
  const { request, unknown } = listingOf(operation, list)
  const record = flattened(list.record, references)
  const properties = propertyShapes(record.shape, references)
  const own = parent === undefined ? collection : { ...home, list: new Map<string, Operation>() }
  const writes = writesOf({ list: own.list, one: own.one ?? new Map() }, lastWord(collection), references)
  unknown.push(...writes.unknown)
  const id = idPropertyOf(own.idParameter ?? collection.idParameter, lastWord(collection), properties.keys())
  if (id === undefined) unknown.push('the id is unknown: set `id` under `read`')
  else if (!id.isSure) {
    unknown.push(`the id may be another property than ${id.name}: paths call it {${own.idParameter ?? ''}}`)
  }
  const read = defined({
    ...request,
    id: id === undefined || id.name === 'id' ? undefined : id.name,
    flatten: record.flatten,
  })
  if (parent !== undefined) Object.assign(read, eachOf(operation, parent, references, unknown))
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

/** The request of a list, and where its records are. */
function listingOf(operation: Operation, list: RecordList): { request: Json; unknown: string[] } {
  const { query, paging, pageSizeMax, total, unknown } = pagingOf(operation, list)
  const fixed = operation.query.flatMap((parameter) => {
    const value = parameter.required && query[parameter.name] === undefined ? fixedValue(parameter) : undefined
    return value === undefined ? [] : [[parameter.name, value] as const]
  })
  const headers = operation.headers.flatMap((parameter) => {
    if (!parameter.required || /^(accept|content-type|authorization|cookie)$/i.test(parameter.name)) return []
    const value = fixedValue(parameter)
    if (value === undefined) unknown.push(`the value of the required header ${parameter.name} is unknown`)
    return value === undefined ? [] : [[parameter.name, value] as const]
  })
  const all = { ...Object.fromEntries(fixed), ...query }
  const request = defined({
    path: operation.path,
    query: Object.keys(all).length === 0 ? undefined : all,
    headers: headers.length === 0 ? undefined : Object.fromEntries(headers),
    pageSizeMax,
    records: list.records,
    total,
    paging,
  })
  return { request, unknown }
}

/** Reads the list once per record of its parent list. */
function eachOf(operation: Operation, parent: Listed, references: References, unknown: string[]): Json {
  const [parameter = ''] = parametersOf(operation.path)
  const { total: _, ...request } = listingOf(parent.operation, parent.list).request
  const properties = propertyShapes(flattened(parent.list.record, references).shape, references)
  const id = idPropertyOf(parameter, lastWord(parent.collection), properties.keys())
  if (id?.isSure !== true) {
    unknown.push(`the value of {${parameter}} may be another property of ${parent.name} than ${id?.name ?? 'id'}`)
  }
  const name = id?.name ?? 'id'
  return {
    path: fillPath(operation.path, [`{{parent.${name}}}`]),
    each: { ...request, ...(name !== 'id' && { id: name }) },
  }
}

function lastWord({ key }: Collection): string {
  return wordsOf(key).at(-1) ?? ''
}

/** Records of JSON:API have their fields in `attributes`. */
function flattened(record: Shape, references: References): { shape: Shape; flatten?: string[] } {
  const attributes = record.properties.get('attributes')
  if (attributes === undefined || !record.properties.has('id')) return { shape: record }
  const inner = references.shape(attributes)
  if (inner.properties.size === 0) return { shape: record }
  const properties = new Map([...record.properties, ...inner.properties])
  properties.delete('attributes')
  return { shape: { ...record, properties }, flatten: ['attributes'] }
}
