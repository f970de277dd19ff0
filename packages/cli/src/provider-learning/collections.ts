import type { Operation } from './operations.ts'

/** A kind of resource: the path that lists it, and the path of one. */
export interface Collection {
  /** Path of the list, without parameter names and ending: `/orgs/{}/members`. */
  key: string
  /** Requests to the list path, by method. */
  list: Map<string, Operation>
  /** Requests to the path of one record, by method, and the name of its parameter. */
  one: Map<string, Operation>
  idParameter?: string
}

/** A parameter in a path; `{{variables}}` are none. */
const parameter = /(?<!\{)\{([^{}]+)\}(?!\})/g

/** Returns the names of the parameters of a path. */
export function parametersOf(path: string): string[] {
  return [...path.matchAll(parameter)].map(([, name]) => name ?? '')
}

/** Returns a path as the document has it, for sentences. */
export function shownPath(path: string): string {
  return path.replaceAll('{{', '{').replaceAll('}}', '}')
}

/** Returns a path as paths are compared: without the names of parameters, a slash at the end and `.json`. */
export function keyOf(path: string): string {
  return path
    .replace(parameter, '{}')
    .replace(/\/$/, '')
    .replace(/\.json$/, '')
}

/** Returns a path with templates in place of its parameters. */
export function fillPath(path: string, templates: readonly string[]): string {
  let at = 0
  return path.replace(parameter, () => templates[at++] ?? '')
}

/** Groups requests by the kind of resource that they are about, in the order of the document. */
export function collectionsOf(operations: readonly Operation[]): Map<string, Collection> {
  const collections = new Map<string, Collection>()
  const at = (key: string) => {
    const known = collections.get(key)
    if (known !== undefined) return known
    const made: Collection = { key, list: new Map(), one: new Map() }
    collections.set(key, made)
    return made
  }
  for (const operation of operations) {
    const key = keyOf(operation.path)
    const one = /^(.+?)(?:\/\{\}|\('?\{\}'?\))$/.exec(key)?.[1]
    if (one === undefined) {
      at(key).list.set(operation.method, operation)
      continue
    }
    const collection = at(one)
    collection.one.set(operation.method, operation)
    const name = parametersOf(operation.path).at(-1)
    if (name !== undefined && (collection.idParameter === undefined || operation.method === 'GET'))
      collection.idParameter = name
  }
  return collections
}

/** Words of a path that say nothing about the resource: `/contacts/list`. */
const emptyWords = /^(list|all|index|get|fetch|v\d+(\.\d+)?)$/i

/** Returns the fixed parts of a path that name its resource. */
export function wordsOf(key: string): string[] {
  const words = key
    .split('/')
    .filter((part) => part !== '' && !part.includes('{'))
    .map((part) =>
      part
        .replace(/[^\w-]+/g, ' ')
        .trim()
        .replaceAll(' ', '_'),
    )
    .filter((part) => part !== '')
  const telling = words.filter((part) => !emptyWords.test(part))
  return telling.length > 0 ? telling : words
}

/** Words of a path that list records by words of the caller. */
export const searchWords = /^(search|query|find|filter)$/i

/** Returns the fixed parts of a path that name its records, also of a search: `/contacts/search`. */
export function resourceWordsOf(key: string): string[] {
  const words = wordsOf(key)
  return words.length > 1 && searchWords.test(words.at(-1) ?? '') ? words.slice(0, -1) : words
}

/** Names each collection by the end of its path; by more of it where several have the same end. */
export function nameCollections(keys: readonly string[]): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>(['__proto__', 'constructor'])
  const parameters = (key: string) => key.split('{}').length
  for (const key of keys.toSorted((a, b) => parameters(a) - parameters(b))) {
    const words = resourceWordsOf(key)
    let count = 1
    const candidate = () => words.slice(-count).join('_').slice(-80) || 'records'
    while (taken.has(candidate().toLowerCase()) && count < words.length) count++
    let name = candidate()
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${candidate()}_${number}`
    taken.add(name.toLowerCase())
    names.set(key, name)
  }
  return names
}
