import { type Collection, resourceWordsOf, searchWords, shownPath, wordsOf } from './collections.ts'
import type { Operation, Parameter } from './operations.ts'
import { isPagingName, pagingOf } from './paging.ts'
import { type RecordList, recordListOf } from './record-lists.ts'
import type { References } from './schemas.ts'
import { isWindowName } from './windows.ts'

/** A request that lists records of one kind. */
export interface Candidate {
  collection: Collection
  operation: Operation
  list: RecordList
  /** The word of the path that names the records. */
  resource: string
  /** A required parameter whose value is unknown; a list of parents may have it. */
  owner?: Parameter
  /** What is not sure about the choice of the request. */
  notes: string[]
}

export interface Candidates {
  candidates: Candidate[]
  /** Paths that look like lists. */
  lists: number
  unknown: string[]
}

/** Paths that never list all records of a kind. */
const noLists = /^(export|autocomplete|suggest|suggestions|lookup|batch)$/i
/** Paths that list by POST. */
const bodyLists = /^(search|query|find|filter|list)$/i

/** Finds the requests that list records. */
export function candidatesOf(collections: ReadonlyMap<string, Collection>, references: References): Candidates {
  const found: Candidates = { candidates: [], lists: 0, unknown: [] }
  for (const collection of collections.values()) {
    const resource = resourceWordsOf(collection.key).at(-1) ?? ''
    const operation = collection.list.get('GET') ?? listByPost(collection, references)
    if (operation === undefined) continue
    const list = recordListOf(operation.answer, resource, references)
    if (list === undefined) continue
    found.lists++
    const leave = (reason: string) => found.unknown.push(`${shownPath(operation.path)} is left out: ${reason}`)
    if (typeof list === 'string') {
      leave(list)
      continue
    }
    const isSearch = searchWords.test(wordsOf(collection.key).at(-1) ?? '')
    const needed = operation.query.filter((parameter) => parameter.required && !isFilled(parameter))
    const reason = reasonOf({ operation, needed, isSearch }, collection, list, collections)
    if (reason !== undefined) leave(reason)
    else {
      const [owner] = needed
      found.candidates.push({
        collection,
        operation,
        list,
        resource,
        ...(owner !== undefined && { owner }),
        notes: isSearch ? [`${shownPath(operation.path)} is a search: check that it lists every record`] : [],
      })
    }
  }
  return found
}

/** Says why a request is left out; undefined if it lists records. */
function reasonOf(
  { operation, needed, isSearch }: { operation: Operation; needed: Parameter[]; isSearch: boolean },
  { key }: Collection,
  list: RecordList,
  collections: ReadonlyMap<string, Collection>,
): string | undefined {
  if (operation.elsewhere) return 'it has another base URL'
  const words = wordsOf(key)
  if (words.some((word, at) => at === words.length - 1 && noLists.test(word))) return 'it looks like a search'
  if (isSearch) {
    // A search stands for a list where there is none, if it has pages and needs no words.
    const listKey = key.slice(0, key.lastIndexOf('/'))
    const isListed = collections.get(listKey)?.list.has('GET') === true && needed.length === 0
    const isOnly = words.length > 1 && pagingOf(operation, list).paging !== undefined && needed.length === 0
    if (!isOnly || (isListed && !isReadByParameter(collections.get(listKey)?.list.get('GET'))))
      return 'it looks like a search'
  }
  if (needed.length > 1 || (needed.length === 1 && operation.path.includes('{'))) return neededText(needed)
  return undefined
}

/** Says which parameters a request needs. */
export function neededText(needed: readonly Parameter[]): string {
  return `it needs the parameter ${needed
    .slice(0, 5)
    .map(({ name }) => name)
    .join(', ')}`
}

/** `GET /animal?uid=` reads one record. */
function isReadByParameter(operation: Operation | undefined): boolean {
  return operation?.query.some((parameter) => parameter.required && !isFilled(parameter)) === true
}

/** A list by POST: its parameters are in the body. */
function listByPost({ key, list }: Collection, references: References): Operation | undefined {
  const operation = list.get('POST')
  const last = key.slice(key.lastIndexOf('/') + 1)
  if (operation?.body?.encoding !== 'json' || !bodyLists.test(last) || wordsOf(key).length === 0) return undefined
  const { properties, required } = references.shape(operation.body.schema)
  const query = [...properties].slice(0, 100).map(([name, node]): Parameter => {
    const schema = references.resolve(node)
    const description = typeof schema['description'] === 'string' ? schema['description'] : ''
    return { name, required: required.has(name), schema, shape: references.shape(node), description }
  })
  return { ...operation, query, inBody: true }
}

function isFilled(parameter: Parameter): boolean {
  return (isPagingName(parameter.name) && !isWindowName(parameter.name)) || fixedValue(parameter) !== undefined
}

/** The only value of a parameter, or its default. */
export function fixedValue({ schema, shape }: Parameter): string | undefined {
  const value = schema['default'] ?? (shape.choices.length === 1 ? shape.choices[0] : undefined)
  const text = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : ''
  return text === '' || /[{}\r\n]/.test(text) ? undefined : text
}
