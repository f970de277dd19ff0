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
    if (error instanceof Error) ofParents.add(error)
    throw error
  }
}

/** Whether the provider refuses the list because it is too long, or the response has more bytes than are accepted. */
function isTooLong(error: unknown): boolean {
  if (error instanceof ProviderError) return error.class === 'list_truncated' && !ofParents.has(error)
  return error instanceof Error && 'kind' in error && error.kind === 'too_large' && !ofParents.has(error)
}

/**
 * Reads a page of a part. Some providers refuse a list that has too many records, or have no pages. The part is then
 * read by halves, like one that reached a limit.
 */
export async function orTruncated(part: WindowPart, read: () => Promise<ListedPage>): Promise<ListedPage> {
  try {
    return await read()
  } catch (error) {
    if (!isTooLong(error) || halfOf(part) === undefined) throw error
    return { records: [], response: { status: 200, headers: {}, body: '', json: undefined }, next: { truncated: 0 } }
  }
}
