import type { ErrorObject } from 'ajv'

/**
 * Drops redundant errors of the validator: for a value of the wrong type also that it is not one of the listed ones,
 * and for a failed `anyOf` the errors of every branch. A union reports the errors of the branch that the value was
 * meant for, or which types it accepts.
 */
export function meaningful(errors: ErrorObject[]): ErrorObject[] {
  const types = new Set(errors.flatMap((error) => (error.keyword === 'type' ? [locationKey(error)] : [])))
  const kept: ErrorObject[] = []
  // The validator lists errors inside a union right before the union: one pass suffices, however many errors there are.
  for (const error of errors) {
    if (error.keyword === 'enum' || error.keyword === 'const') {
      if (!types.has(locationKey(error, 'type'))) kept.push(error)
    } else if (error.keyword === 'anyOf') {
      const from = kept.findLastIndex((one) => !isInside(one, error)) + 1
      kept.push(...errorsOfUnion(error, kept.splice(from)))
    } else kept.push(error)
  }
  return kept
}

/** Returns a key for a value and the schema keyword that it was validated against. */
function locationKey({ schemaPath, instancePath }: ErrorObject, keyword?: string): string {
  return `${keyword === undefined ? schemaPath : schemaPath.replace(/(?<![^/])[^/]+$/, keyword)} ${instancePath}`
}

function isInside(error: ErrorObject, union: ErrorObject): boolean {
  return (
    error.schemaPath.startsWith(`${union.schemaPath}/`) &&
    (error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`))
  )
}

function errorsOfUnion(union: ErrorObject, inside: ErrorObject[]): ErrorObject[] {
  const branches = new Map<string, ErrorObject[]>()
  for (const error of inside) {
    const branch = error.schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0] ?? ''
    const found = branches.get(branch)
    if (found) found.push(error)
    else branches.set(branch, [error])
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
