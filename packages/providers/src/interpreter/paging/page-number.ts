import type { PagePaging } from '../../catalogue/format/paging.ts'
import { compilePath } from '../path.ts'
import { moreFlag, type Pager } from './pager.ts'

/** Page numbers. The end: the provider's flag, its number of pages, or a page with fewer records than asked for. */
export function pageNumberPager(paging: PagePaging): Pager {
  const first = paging.first ?? 1
  const more = moreFlag(paging.more)
  const pagesPath = paging.pages === undefined ? undefined : compilePath(paging.pages)
  const pagesHeader = paging.pagesHeader?.toLowerCase()
  return {
    variables: ({ page }) => ({ page: page ?? first }),
    next({ json, headers, records, pageSize }, state) {
      const page = state.page ?? first
      const pages = Number((pagesHeader === undefined ? pagesPath?.(json) : headers[pagesHeader]) ?? Number.NaN)
      const goesOn = more(json) ?? (Number.isFinite(pages) ? page - first + 1 < pages : records.length >= pageSize)
      return goesOn && records.length > 0 ? { page: page + 1 } : undefined
    },
  }
}
