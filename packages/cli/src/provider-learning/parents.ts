import { parametersOf, shownPath } from './collections.ts'
import { flattened, propertyShapes } from './fields.ts'
import type { Candidate } from './list-candidates.ts'
import { lettersOf } from './paging.ts'
import { idPropertyOf, singularOf } from './record-ids.ts'
import type { References, Shape } from './schemas.ts'

/** The list that another list is read once per record of. */
export interface Parent {
  candidate: Candidate
  /** Paths in the parent, for each parameter of the list. */
  values: string[]
  /** What is not sure. */
  notes: string[]
}

/** Lists of what belongs to the account that connects. */
const ownWords = /^(me|my|user|self|account|current_?user)$/i
/** Properties that paths call a thing by, if it is a part of the record. */
const callNames = ['login', 'slug', 'key', 'username', 'name', 'id']

/**
 * Finds the list that has the values which a list needs: for `/teams/{team_id}/members`, a list of teams. Lists at the
 * beginning of the path come first, then lists with the same name elsewhere, such as `/user/teams`.
 *
 * @returns undefined if there is none, or its records lack a value
 */
export function parentOf(candidate: Candidate, all: readonly Candidate[], references: References): Parent | undefined {
  const roots = all.filter(
    ({ operation, owner, collection }) =>
      parametersOf(operation.path).length === 0 && owner === undefined && collection.key !== candidate.collection.key,
  )
  const { operation, owner } = candidate
  const parameters = owner === undefined ? parametersOf(operation.path) : [owner.name]
  const [first = ''] = parameters
  const segments = operation.path.split('/')
  const at = segments.findIndex((segment) => /^\{[^{}]+\}$/.test(segment))
  if (owner === undefined && (at < 1 || !areInARow(segments, at, parameters.length)))
    return withOdata(candidate, roots, references)
  const word = owner === undefined ? (segments[at - 1] ?? '') : lettersOf(first).replace(/(?:id|key|slug)$/, '')
  const direct =
    owner === undefined ? roots.find(({ operation: { path } }) => path === segments.slice(0, at).join('/')) : undefined
  const named = roots
    .filter(({ resource }) => lettersOf(singularOf(resource)) === lettersOf(singularOf(word)))
    .toSorted((a, b) => rankOf(a) - rankOf(b))
  const found = direct ?? named[0]
  if (found === undefined) return undefined
  const filled = valuesOf(parameters, found, references)
  if (filled === undefined) return undefined
  const elsewhere = `the parents come from ${shownPath(found.operation.path)}: check that they are the right ones`
  return { candidate: found, values: filled.values, notes: [...(direct ? [] : [elsewhere]), ...filled.notes] }
}

/** `/companies({id})/members`: the parameter is within a part of the path. */
function withOdata(candidate: Candidate, roots: readonly Candidate[], references: References): Parent | undefined {
  const parameters = parametersOf(candidate.operation.path)
  const key = candidate.collection.key.split(/\('?\{\}'?\)/)[0]
  const found = roots.find(({ collection }) => collection.key === key)
  if (parameters.length !== 1 || found === undefined) return undefined
  const filled = valuesOf(parameters, found, references)
  return filled === undefined ? undefined : { candidate: found, ...filled }
}

function areInARow(segments: readonly string[], at: number, count: number): boolean {
  return segments.slice(at, at + count).every((segment) => /^\{[^{}]+\}$/.test(segment))
}

function rankOf({ operation: { path } }: Candidate): number {
  return path.length + (path.split('/').some((part) => ownWords.test(part)) ? 0 : 1000)
}

function valuesOf(
  parameters: readonly string[],
  parent: Candidate,
  references: References,
): { values: string[]; notes: string[] } | undefined {
  const properties = propertyShapes(flattened(parent.list.record, references).shape, references)
  const notes: string[] = []
  const values = parameters.map((parameter) => {
    const id =
      parameters.length === 1
        ? idPropertyOf(parameter, parent.resource, properties.keys())
        : partOf(parameter, parent.resource, properties)
    // A list of parents whose fields are not described has an id, as most have.
    const name = id?.name ?? (properties.size === 0 && parameters.length === 1 ? 'id' : undefined)
    if (id?.isSure !== true && name !== undefined)
      notes.push(
        `the value of {${parameter}} may be another property than ${name}, of ${shownPath(parent.operation.path)}`,
      )
    return name
  })
  const known = values.filter((value) => value !== undefined)
  return known.length < values.length ? undefined : { values: known, notes }
}

/** Finds one of several values that name a record: `{owner}` is `owner.login` of a repository, `{repo}` its name. */
function partOf(
  parameter: string,
  resource: string,
  properties: ReadonlyMap<string, Shape>,
): { name: string; isSure: boolean } | undefined {
  const letters = lettersOf(parameter)
  const [name, shape] = [...properties].find(([property]) => lettersOf(property) === letters) ?? []
  if (name !== undefined && shape !== undefined && /^[\w-]+$/.test(name)) {
    if (shape.properties.size === 0) return { name, isSure: true }
    const inner = callNames.find((each) => shape.properties.has(each))
    if (inner !== undefined) return { name: `${name}.${inner}`, isSure: false }
  }
  const singular = lettersOf(singularOf(resource))
  if (!letters.startsWith(singular) && !singular.startsWith(letters)) return undefined
  const rest = letters.startsWith(singular) ? letters.slice(singular.length) : ''
  const own = [rest, 'name', 'slug', 'key', 'id'].find((each) => each !== '' && properties.has(each))
  return own === undefined ? undefined : { name: own, isSure: own === rest }
}
