import { isReadObject, type ProviderObject, type ReadObject } from '../catalogue/format/provider-file.ts'
import { compileMatch, type Matcher } from './match.ts'
import { mergeTree } from './merge-tree.ts'

const withDeleted = new WeakMap<ReadObject, ReadObject>()
const alone = new WeakMap<ReadObject, ReadObject | undefined>()
const marks = new WeakMap<ReadObject, Matcher | undefined>()

/** Returns the object as it is read where deleted records are requested, too. */
export function withDeletedRecords(object: ReadObject): ReadObject {
  const { deletions, incremental } = object
  if (deletions?.read === undefined) return object
  const known = withDeleted.get(object)
  if (known !== undefined) return known
  const read = mergeTree<object>(incremental?.read ?? {}, deletions.read)
  const made: ReadObject = { ...object, incremental: { ...incremental, read } }
  withDeleted.set(object, made)
  return made
}

/** Returns the list of deleted records as an object that is read by itself; undefined if the provider has none. */
export function deletedObject(object: ReadObject): ReadObject | undefined {
  if (alone.has(object)) return alone.get(object)
  const { deletions, incremental } = object
  const list = deletions?.list
  let made: ReadObject | undefined
  if (list !== undefined) {
    const { read: _, filter: __, reach: ___, ...window } = incremental ?? {}
    const filter = deletions?.timestamp === undefined ? undefined : { timestamp: deletions.timestamp }
    made = { ...object, read: mergeTree(object.read, list), incremental: { ...window, ...(filter && { filter }) } }
  }
  alone.set(object, made)
  return made
}

/** Returns what tells a deleted record from others among those that the object lists. */
export function deletionMark(object: ReadObject): Matcher | undefined {
  if (marks.has(object)) return marks.get(object)
  const when = object.deletions?.when
  const mark = when === undefined ? undefined : compileMatch(when)
  marks.set(object, mark)
  return mark
}

/** Whether the provider reports deleted records of the object. */
export function reportsDeletions(object: ProviderObject | undefined): boolean {
  return isReadObject(object) && object.deletions !== undefined
}
