import type { Flaw } from './flaw.ts'
import type { ReadObject } from './format/provider-file.ts'
import type { Read } from './format/read.ts'
import { usedVariables } from './lint-request.ts'

const bounds = ['period.start', 'period.end']

/**
 * What the schema cannot say of `periods`: a request that is the same in each.
 *
 * @param listing `read` of the object, or what changes make of it
 */
export function lintPeriods(path: Flaw['path'], listing: Read, { read }: ReadObject): Flaw[] {
  if (read.periods === undefined) return []
  const { periods } = listing
  const used = [...(usedVariables(listing) ?? [])].filter((name) => name.split('.', 1)[0] === 'period')
  const flaws = used
    .filter((name) => periods === undefined || !bounds.includes(name))
    .map((name) => {
      const why = periods === undefined ? 'needs `periods`' : 'has only "start" and "end"'
      return { path, message: `uses the variable "${name}", which ${why}` }
    })
  if (periods === undefined) return flaws
  for (const name of bounds)
    if (!used.includes(name)) flaws.push({ path: [...path, 'periods'], message: `needs {{${name}}} in the request` })
  const { days, overlapDays = 0 } = periods
  if (overlapDays >= days)
    flaws.push({ path: [...path, 'periods', 'overlapDays'], message: 'must be less than "days"' })
  return flaws
}

/** What an object cannot have whose list has `periods`: parts of another kind, and a job in place of the list. */
export function lintWithPeriods({ read, incremental = {} }: ReadObject): Flaw[] {
  if (read.periods === undefined) return []
  const message = 'cannot be used with `read.periods`'
  const ofWindow = (['stepDays', 'history'] as const).filter((key) => incremental[key] !== undefined)
  return [
    ...ofWindow.map((key) => ({ path: ['incremental', key], message })),
    ...(read.job === undefined ? [] : [{ path: ['read', 'job'], message }]),
  ]
}
