import type { LiftedFields } from './fields.ts'
import { compilePath } from './path.ts'

/** What reads the further fields of a record; `undefined` where the file declares none. */
export function compileLift(declared: Record<string, string> | undefined): LiftedFields | undefined {
  const fields = Object.entries(declared ?? {}).map(([name, path]) => [name.toLowerCase(), compilePath(path)] as const)
  if (fields.length === 0) return undefined
  return (record) => {
    const lifted = new Map<string, unknown>()
    for (const [name, read] of fields) {
      const value = read(record)
      if (value !== undefined) lifted.set(name, value)
    }
    return lifted
  }
}

/** The fields of both. */
export function bothLifted(
  first: LiftedFields | undefined,
  second: LiftedFields | undefined,
): LiftedFields | undefined {
  if (first === undefined || second === undefined) return first ?? second
  return (record) => new Map([...first(record), ...second(record)])
}
