import type { ReadObject } from '../catalogue/format/provider-file.ts'
import { mergeTree } from './merge-tree.ts'

const cheapest = new WeakMap<ReadObject, ReadObject>()

/**
 * Returns the object as it is read where only the ids of its records are requested: by its own list for it, and without
 * a request for each record.
 */
export function withIdsOnly(object: ReadObject): ReadObject {
  const { read, listIds } = object
  if (listIds === undefined && read.getEach !== true) return object
  const known = cheapest.get(object)
  if (known !== undefined) return known
  const made: ReadObject = { ...object, read: { ...mergeTree(read, listIds ?? {}), getEach: false } }
  cheapest.set(object, made)
  return made
}
