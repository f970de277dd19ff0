import type { ReadObject } from '../catalogue/format/provider-file.ts'
import { mergeTree } from './merge-tree.ts'

const cheapest = new WeakMap<ReadObject, ReadObject>()

/** Returns the object as it is read where only the ids of its records are requested. */
export function withIdsOnly(object: ReadObject): ReadObject {
  const { listIds } = object
  if (listIds === undefined) return object
  const known = cheapest.get(object)
  if (known !== undefined) return known
  const made: ReadObject = { ...object, read: mergeTree(object.read, listIds) }
  cheapest.set(object, made)
  return made
}
