import type { ProviderObject } from '../catalogue/format/provider-file.ts'
import { type CompiledListing, compileListing } from './listing.ts'
import { mergeTree } from './merge-tree.ts'
import { compilePath, scalarText } from './path.ts'

/** The requests and readers of an object, compiled. */
export interface ObjectPlan {
  full: CompiledListing
  /** The request for a window; the same as `full` where the file declares no other. */
  window: CompiledListing
  id: (record: unknown) => unknown
  total: (json: unknown, headers: Record<string, string>) => number | undefined
  children: { field: string; listing: CompiledListing }[]
}

const plans = new WeakMap<ProviderObject, ObjectPlan>()

/** The object's requests, compiled once. */
export function planOf(object: ProviderObject): ObjectPlan {
  const known = plans.get(object)
  if (known !== undefined) return known
  const { read, incremental } = object
  const full = compileListing(read)
  const totalPath = read.total === undefined ? undefined : compilePath(read.total)
  const totalHeader = read.totalHeader?.toLowerCase()
  const plan: ObjectPlan = {
    full,
    window: incremental?.read === undefined ? full : compileListing(mergeTree(read, incremental.read)),
    id: compilePath(read.id ?? 'id'),
    total: (json, headers) => {
      const text = totalHeader === undefined ? scalarText(totalPath?.(json)) : headers[totalHeader]
      const total = text === undefined || text.trim() === '' ? Number.NaN : Number(text)
      return Number.isSafeInteger(total) && total >= 0 ? total : undefined
    },
    children: Object.entries(read.children ?? {}).map(([field, child]) => ({ field, listing: compileListing(child) })),
  }
  plans.set(object, plan)
  return plan
}
