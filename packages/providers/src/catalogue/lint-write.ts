import { pathNames } from '../interpreter/path.ts'
import { idParts } from '../interpreter/record-id.ts'
import { parseTemplate } from '../interpreter/template.ts'
import type { Flaw } from './flaw.ts'
import type { ProviderObject } from './format/provider-file.ts'
import type { Request } from './format/request.ts'
import type { BatchOperation, WriteAnswer, WriteOperation } from './format/write.ts'
import { lintListing } from './lint-listing.ts'
import { lintRequest } from './lint-request.ts'
import { lintWriteJob } from './lint-write-job.ts'

const operationKeys = ['create', 'update', 'delete', 'batch', 'job'] as const

/** What the schema cannot say of how an object is written, and how one record is read. */
export function lintWrite(object: ProviderObject, shared: readonly string[]): Flaw[] {
  const { read, write, get } = object
  const flaws: Flaw[] = []
  const parts = idParts(read?.id).map((part) => `id.${part}`)
  const named = parts.length === 0 ? ['id'] : parts
  const needId = (path: Flaw['path'], request: { path: string }) => {
    // With a filter or without, in the request itself or in what is looked up before it.
    const found = JSON.stringify(request).matchAll(/\{\{\s*(id(?:\.[\w-]+)?)\s*[|}]/g)
    const used = new Set(Array.from(found, ([, name = '']) => name))
    for (const name of named)
      if (!used.has(name)) flaws.push({ path, message: `must use {{${name}}} to identify the record` })
    for (const name of used)
      if (!named.includes(name))
        flaws.push({ path, message: `uses {{${name}}}; the id is ${named.map((one) => `{{${one}}}`).join(', ')}` })
  }
  if (get !== undefined) {
    flaws.push(...lintRequest(['get'], get, [...shared, 'id', 'fields', 'links']))
    needId(['get'], get)
  }
  for (const path of scopedPaths(object)) {
    for (const name of path.names) {
      if (!shared.includes(name))
        flaws.push({ path: path.at, message: `uses the variable "${name}", which is not declared here` })
    }
  }
  if (write === undefined) return flaws
  if (operationKeys.every((key) => write[key] === undefined))
    flaws.push({ path: ['write'], message: 'needs at least one of "create", "update", "delete" and "batch"' })
  const known = [...shared, 'idempotencyKey']
  flaws.push(
    ...lintRequest(['write'], { path: '/', ...pick(write) }, [
      ...known,
      'id',
      'record',
      'changes',
      'changedPaths',
      'associations',
    ]),
  )
  for (const type of ['create', 'update', 'delete'] as const) {
    const operation = write[type]
    if (operation === undefined) continue
    const ofRecord = type === 'delete' ? [] : ['record', 'changes', 'changedPaths', 'associations']
    const ofId = type === 'create' ? [] : ['id']
    const names = [...known, ...ofId, ...ofRecord]
    for (const [at, { name, value: _, unless: __, ...lookup }] of (operation.lookups ?? []).entries()) {
      flaws.push(...lintRequest(['write', type, 'lookups', at], lookup, names))
      names.push(name)
    }
    flaws.push(...lintRequest(['write', type], asRequest(operation), names))
    // An update may name it in a body that both kinds share.
    if (type !== 'create') needId(['write', type], { ...operation, ...(type === 'update' && { shared: write.body }) })
  }
  for (const type of ['create', 'update'] as const) {
    const operation = write.batch?.[type]
    if (operation === undefined) continue
    // `item` is what `$each` names its parts by.
    const names = [...known, 'items', 'item', 'allOrNone']
    flaws.push(...lintRequest(['write', 'batch', type], asRequest(operation), names))
  }
  flaws.push(...lintWriteJob(write, shared))
  if (write.customFields !== undefined) {
    const { into = read?.customFields?.list, definitions, item } = write.customFields
    const path = ['write', 'customFields']
    flaws.push(...lintRequest(path, { path: '/', body: item }, [...shared, 'definition', 'value']))
    if (definitions !== undefined) flaws.push(...lintListing([...path, 'definitions'], definitions, shared, shared))
    else if (read?.customFields?.definitions === undefined)
      flaws.push({ path, message: 'needs "definitions", because `read.customFields` has none' })
    if (into === undefined) flaws.push({ path, message: 'needs "into", because there is no `read.customFields`' })
  }
  for (const [at, { item }] of (write.gather ?? []).entries()) {
    const path = ['write', 'gather', at]
    flaws.push(...lintRequest(path, { path: '/', body: item }, ['key', 'value']))
  }
  return flaws
}

function pick({ headers, body }: NonNullable<ProviderObject['write']>): Pick<Request, 'headers' | 'body'> {
  return { ...(headers && { headers }), ...(body !== undefined && { body }) }
}

/** The lint of requests ignores methods: the schema has checked them. */
function asRequest({ method: _, ...request }: WriteOperation | BatchOperation): Request {
  return request
}

/** Paths into responses that may contain variables of the object. */
function scopedPaths({ write, get }: ProviderObject): { at: Flaw['path']; names: readonly string[] }[] {
  const paths: [Flaw['path'], string | undefined][] = [[['get', 'record'], get?.record]]
  const ofAnswer = (at: Flaw['path'], { data, id, refusals }: WriteAnswer = {}) => {
    for (const path of [data, id, refusals?.list]) paths.push([at, path])
  }
  ofAnswer(['write', 'answer'], write?.answer)
  for (const type of ['create', 'update', 'delete'] as const) {
    const operation = write?.[type]
    ofAnswer(['write', type, 'answer'], operation?.answer)
    operation?.lookups?.forEach(({ value }, at) => {
      paths.push([['write', type, 'lookups', at, 'value'], value])
    })
  }
  return paths.flatMap(([at, path]) => {
    try {
      return (pathNames(path ?? '') ?? []).map((name) => ({ at, names: parseTemplate(name).variables }))
    } catch {
      return [{ at, names: [path ?? ''] }]
    }
  })
}
