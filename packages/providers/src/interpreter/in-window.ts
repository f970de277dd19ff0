import type { WindowFilter } from './incremental.ts'
import type { ListedPage } from './listing.ts'

/** Returns a page without what is not in the window; nothing follows where the order says that all of it is older. */
export function inWindow(page: ListedPage, filter: WindowFilter | undefined): ListedPage {
  if (filter === undefined) return page
  const { kept, ended } = filter(page.records)
  return { ...page, records: kept, next: ended ? undefined : page.next }
}
