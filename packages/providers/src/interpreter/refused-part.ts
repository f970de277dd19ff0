import { ProviderError } from '../provider-error.ts'
import type { ListedPage } from './listing.ts'
import { halfOf, type WindowPart } from './stepped-window.ts'

/**
 * Reads a page of a part. Some providers refuse a list that has too many records. The part is then read by halves, like
 * one that reached a limit.
 */
export async function orTruncated(part: WindowPart, read: () => Promise<ListedPage>): Promise<ListedPage> {
  try {
    return await read()
  } catch (error) {
    const isTooLong = error instanceof ProviderError && error.class === 'list_truncated'
    if (!isTooLong || halfOf(part) === undefined) throw error
    return { records: [], response: { status: 200, headers: {}, body: '', json: undefined }, next: { truncated: 0 } }
  }
}
