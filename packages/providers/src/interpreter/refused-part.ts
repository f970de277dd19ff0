import { ProviderError } from '../provider-error.ts'
import type { ListedPage } from './listing.ts'
import { halfOf, type WindowPart } from './stepped-window.ts'

/** Errors of lists of parents: a shorter window does not shorten such a list. */
const ofParents = new WeakSet<object>()

/** Reads the parents. Their error is not one of the part. */
export async function ofNoPart<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ProviderError) ofParents.add(error)
    throw error
  }
}

/**
 * Reads a page of a part. Some providers refuse a list that has too many records. The part is then read by halves, like
 * one that reached a limit.
 */
export async function orTruncated(part: WindowPart, read: () => Promise<ListedPage>): Promise<ListedPage> {
  try {
    return await read()
  } catch (error) {
    const isTooLong = error instanceof ProviderError && error.class === 'list_truncated' && !ofParents.has(error)
    if (!isTooLong || halfOf(part) === undefined) throw error
    return { records: [], response: { status: 200, headers: {}, body: '', json: undefined }, next: { truncated: 0 } }
  }
}
