import type { ErrorObject } from 'ajv'

/**
 * Drops what the checker says without meaning: of a value of the wrong type also that it is none of the listed ones, and of a
 * failed `anyOf` every branch. A union tells the faults of the branch that the value was meant for, or which types it takes.
 */
export function meaningful(errors: ErrorObject[]): ErrorObject[] {
  let kept = errors.filter((error) => !repeatsType(error, errors))
  // Inner unions come first in the list, so that an outer one chooses among branches that have been cleaned already.
  for (const union of errors.filter((error) => error.keyword === 'anyOf')) {
    if (!kept.includes(union)) continue
    const inside = kept.filter((error) => isInside(error, union))
    const told = tellOf(union, inside)
    kept = kept.flatMap((error) => (error === union ? told : inside.includes(error) ? [] : [error]))
  }
  return kept
}

function repeatsType(error: ErrorObject, all: ErrorObject[]): boolean {
  if (error.keyword !== 'enum' && error.keyword !== 'const') return false
  const type = error.schemaPath.replace(/[^/]+$/, 'type')
  return all.some((other) => other.schemaPath === type && other.instancePath === error.instancePath)
}

function isInside(error: ErrorObject, union: ErrorObject): boolean {
  return (
    error.schemaPath.startsWith(`${union.schemaPath}/`) &&
    (error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`))
  )
}

function tellOf(union: ErrorObject, inside: ErrorObject[]): ErrorObject[] {
  const branches = new Map<string, ErrorObject[]>()
  for (const error of inside) {
    const branch = error.schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0] ?? ''
    branches.set(branch, [...(branches.get(branch) ?? []), error])
  }
  const here = (keyword: string) => (error: ErrorObject) =>
    error.keyword === keyword && error.instancePath === union.instancePath
  const fitting = [...branches.values()].filter((branch) => !branch.some(here('type')))
  const constants = fitting.filter((branch) => branch.every(here('const')))
  if (constants.length > 0 && constants.length === fitting.length) {
    const allowedValues = constants.flat().map(({ params }) => (params as { allowedValue: unknown }).allowedValue)
    return [{ ...union, keyword: 'enum', params: { allowedValues } }]
  }
  const nearest = fitting.toSorted((a, b) => a.length - b.length)[0]
  if (nearest) return nearest
  const types = [...branches.values()].flat().filter(here('type'))
  return [{ ...union, keyword: 'type', params: { type: [...new Set(types.flatMap(({ params }) => params['type']))] } }]
}
