import { deletedObject, withDeletedRecords } from '../interpreter/deleted-records.ts'
import { mergeTree } from '../interpreter/merge-tree.ts'
import type { Flaw } from './flaw.ts'
import type { ReadObject } from './format/provider-file.ts'
import { lintListing } from './lint-listing.ts'
import { lintPeriods } from './lint-periods.ts'
import { usedVariables } from './lint-request.ts'

/** What the schema cannot say of `deletions`: a request without its mark, a list that is the same in every window. */
export function lintDeletions(object: ReadObject, allowed: readonly string[], named: readonly string[]): Flaw[] {
  const { deletions, incremental } = object
  if (deletions === undefined) return []
  const flaws: Flaw[] = []
  const flaw = (key: string | undefined, message: string) =>
    flaws.push({ path: ['deletions', ...(key === undefined ? [] : [key])], message })
  const { when, read, list, timestamp, job, reach } = deletions
  if (when === undefined && list === undefined) flaw(undefined, 'needs one of "when" and "list"')
  if (incremental === undefined) flaw(undefined, 'needs "incremental": only a read with a window reads deletions')
  if (read !== undefined && when === undefined) flaw('read', 'needs "when": deleted records would look like the others')
  if (job !== undefined && (read === undefined || object.read.job === undefined))
    flaw('job', 'needs `deletions.read` and `read.job`')
  if (timestamp !== undefined && list === undefined) flaw('timestamp', 'needs "list"')
  if (reach !== undefined && list === undefined) flaw('reach', 'needs "list"')
  if (read !== undefined && 'each' in read)
    flaw('read', 'cannot have "each": "list" is for a separate list of deleted records')
  const changed = read && withDeletedRecords(object)
  if (changed) {
    const merged = mergeTree(changed.read, changed.incremental?.read ?? {})
    const path = ['deletions', 'read']
    flaws.push(...lintListing(path, merged, allowed, named), ...lintPeriods(path, merged, object))
  }
  const alone = list && deletedObject(object)
  if (alone) {
    const path = ['deletions', 'list']
    const { each } = alone.read
    const known = each === undefined ? allowed : [...allowed, 'parent']
    flaws.push(...lintListing(path, alone.read, known, named), ...lintPeriods(path, alone.read, object))
    if (each?.path !== undefined)
      flaws.push(...lintListing([...path, 'each'], { ...each, path: each.path }, allowed, named))
    const narrowed = [alone.read, alone.read.each, alone.read.each?.each].some(
      (one) => one && usedVariables(one)?.has('since') !== false,
    )
    if (!narrowed && timestamp === undefined)
      flaw('list', 'needs {{since}} in its request, or "timestamp": it would list every deletion in each read')
  }
  return flaws
}
