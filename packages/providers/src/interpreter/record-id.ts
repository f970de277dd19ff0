import { ProviderError } from '../provider-error.ts'
import { compileLoad } from './fields.ts'
import { pathNames, scalarText } from './path.ts'

/** What tells a record from all others: the path of one value, or those of several that do so only together. */
export type DeclaredId = string | readonly string[] | undefined

/** The paths of the id in the record, in order. */
export function idPaths(declared: DeclaredId): readonly string[] {
  return typeof declared === 'string' ? [declared] : (declared ?? ['id'])
}

/** Names of the parts of an id of several values, such as `owner` of `{{id.owner}}`; none where it is one value. */
export function idParts(declared: DeclaredId): string[] {
  const paths = idPaths(declared)
  return paths.length === 1 ? [] : paths.map((path) => pathNames(path)?.at(-1) ?? path)
}

/** Names of the columns that a CSV document needs for ids: paths of one name. */
export function idColumns(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const names = pathNames(path) ?? []
    return names.length === 1 ? names : []
  })
}

/**
 * Takes the id out of a record: the value, or the text of several; `undefined` when one is missing.
 *
 * @param mayBeEmpty whether an empty text, but for the first, is a value: an empty cell of a CSV document
 */
export function compileId(declared: DeclaredId, mayBeEmpty = false): (record: unknown) => unknown {
  const loads = idPaths(declared).map(compileLoad)
  const [only] = loads
  const join = mayBeEmpty ? joinedCells : joinedId
  return only !== undefined && loads.length === 1 ? only : (record) => join(loads.map((load) => load(record)))
}

function joinedCells([first, ...others]: readonly unknown[]): string | undefined {
  const start = joinedId([first])
  const texts = others.map(scalarText)
  return start === undefined || texts.includes(undefined)
    ? undefined
    : [start, ...texts.map((text) => encodeURIComponent(text ?? ''))].join('/')
}

/** Several values as one text: `owner/repo/7`. A `/` in a value is escaped, so that the parts are found again. */
export function joinedId(values: readonly unknown[]): string | undefined {
  const texts = values.map(scalarText)
  return texts.some((text) => text === undefined || text === '')
    ? undefined
    : texts.map((text) => encodeURIComponent(text ?? '')).join('/')
}

/**
 * The variable `id` of a request: the id itself, or its values by the names of its parts.
 *
 * @throws ProviderError `bad_request` when the id has not as many parts
 */
export function idVariable(declared: DeclaredId, id: string | undefined): unknown {
  const names = idParts(declared)
  if (names.length === 0 || id === undefined) return id
  const parts = id.split('/').map(decoded)
  if (parts.length !== names.length || parts.includes(''))
    throw new ProviderError('bad_request', `The id must be written as ${names.join('/')}.`)
  return Object.fromEntries(names.map((name, at) => [name, parts[at]]))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
