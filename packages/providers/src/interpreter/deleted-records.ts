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
  const changes = mergeTree<object>(incremental?.read ?? {}, deletions.read)
  // What fields a request names is decided before which request is sent.
  const { fieldsAlways = object.read.fieldsAlways } = deletions.read as Partial<ReadObject['read']>
  const { job, ...listed } = fieldsAlways === undefined ? object.read : { ...object.read, fieldsAlways }
  const read = { ...listed, ...(job && { job: { ...job, submit: mergeTree(job.submit, deletions.job ?? {}) } }) }
  const made: ReadObject = { ...object, read, incremental: { ...incremental, read: changes } }
  withDeleted.set(object, made)
  return made
}

/** Returns the list of deleted records as an object that is read separately; undefined if the provider has none. */
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
