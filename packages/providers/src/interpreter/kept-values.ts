import { compileLoad } from './fields.ts'
import { isObject } from './path.ts'

/**
 * Compiles what adds values of an outer object, such as a parent, to a record. What the record has itself stays.
 *
 * @param keep paths in the outer object, by the field of the record
 */
export function compileKeep(keep: Record<string, string> = {}): (record: unknown, outer: unknown) => unknown {
  const loads = Object.entries(keep).map(([field, path]) => [field, compileLoad(path)] as const)
  if (loads.length === 0) return (record) => record
  return (record, outer) => {
    if (!isObject(record)) return record
    const kept = loads.map(([field, load]) => [field, load(outer)] as const).filter(([, value]) => value !== undefined)
    return { ...Object.fromEntries(kept), ...record }
  }
}
