import type { Collection } from './collections.ts'
import { fillPath, parametersOf } from './collections.ts'
import { defined, type Json } from './json-values.ts'
import type { Operation } from './operations.ts'
import { singularOf } from './record-ids.ts'
import type { References, Shape } from './schemas.ts'

/** How records of a collection are read one by one and written. */
export interface LearnedWrites {
  get?: Json
  write?: Json
  /** Names that creating a record requires. */
  required: Set<string>
  unknown: string[]
}

/** Learns `get` and `write` of a collection. Requests with other parameters than the id are left out. */
export function writesOf(
  { list, one }: Pick<Collection, 'list' | 'one'>,
  resource: string,
  references: References,
): LearnedWrites {
  const learned: LearnedWrites = { required: new Set(), unknown: [] }
  const get = one.get('GET')
  if (get !== undefined && isUsable(get, 'get', learned)) {
    learned.get = defined({ path: idPath(get), record: wrapperOf(references.shape(get.answer), resource, references) })
  }
  const write: Json = {}
  const create = list.get('POST')
  if (create !== undefined && parametersOf(create.path).length === 0 && isUsable(create, 'create', learned)) {
    const body = bodyOf(create, resource, references)
    if (body.isJsonApi) learned.unknown.push('create is left out: the body is in the format of JSON:API')
    else write['create'] = defined({ path: create.path, ...requestOf(create, body.key, resource, references) })
    learned.required = body.required
  }
  const update = one.get('PATCH') ?? one.get('PUT') ?? one.get('POST')
  if (update !== undefined && isUsable(update, 'update', learned)) {
    const body = bodyOf(update, resource, references)
    const method = update.method === 'PATCH' ? undefined : update.method
    if (body.isJsonApi) learned.unknown.push('update is left out: the body is in the format of JSON:API')
    else
      write['update'] = defined({ method, path: idPath(update), ...requestOf(update, body.key, resource, references) })
  }
  const remove = one.get('DELETE')
  if (remove !== undefined && isUsable({ ...remove, body: undefined }, 'delete', learned))
    write['delete'] = { path: idPath(remove) }
  if (Object.keys(write).length > 0) learned.write = write
  return learned
}

type Checked = Omit<Operation, 'body'> & { body?: Operation['body'] | undefined }

function isUsable({ path, query, body, elsewhere }: Checked, kind: string, learned: LearnedWrites): boolean {
  const needed = query.filter(({ required }) => required).map(({ name }) => name)
  const reason = elsewhere
    ? 'has another base URL'
    : parametersOf(path).length > 1
      ? 'needs more than the id'
      : needed.length > 0
        ? `needs the parameter ${needed.slice(0, 5).join(', ')}`
        : body?.encoding === 'other'
          ? 'sends another format than JSON or a form'
          : undefined
  if (reason !== undefined) learned.unknown.push(`${kind} is left out: it ${reason}`)
  return reason === undefined
}

function idPath({ path }: Operation): string {
  return fillPath(path, ['{{id}}'])
}

interface LearnedBody {
  /** The property that the record is sent in. */
  key?: string
  isJsonApi: boolean
  required: Set<string>
}

function bodyOf({ body }: Operation, resource: string, references: References): LearnedBody {
  const shape = references.shape(body?.schema)
  const key = wrapperOf(shape, resource, references)
  if (key === undefined) return { isJsonApi: false, required: shape.required }
  const inner = references.shape(shape.properties.get(key))
  return { key, isJsonApi: inner.properties.has('attributes'), required: inner.required }
}

function requestOf(operation: Operation, key: string | undefined, resource: string, references: References): Json {
  const data = wrapperOf(references.shape(operation.answer), resource, references)
  return {
    encoding: operation.body?.encoding === 'form' ? 'form' : undefined,
    body: key === undefined ? undefined : { [key]: { $value: 'record' } },
    answer: data === undefined ? undefined : { data },
  }
}

/** Finds the property that has the whole record: `{"contact": {…}}`. */
function wrapperOf(shape: Shape, resource: string, references: References): string | undefined {
  if (shape.properties.has('id') || shape.properties.size > 6) return undefined
  const names = [...shape.properties.keys()].filter(
    (name) => /^[A-Za-z_][\w-]*$/.test(name) && references.shape(shape.properties.get(name)).properties.size > 1,
  )
  const singular = singularOf(resource).toLowerCase()
  const named = names.find((name) => [singular, 'data', 'result', 'item', 'record'].includes(name.toLowerCase()))
  return named ?? (shape.properties.size === 1 ? names[0] : undefined)
}
