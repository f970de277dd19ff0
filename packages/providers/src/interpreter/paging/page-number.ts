import type { PagePaging } from '../../catalogue/format/paging.ts'
import { compilePath } from '../path.ts'
import { moreFlag, nextText, type Pager, stuck } from './pager.ts'

/**
 * Page numbers: from the response, or counted. The end: the provider's flag, its number of pages, or a page with fewer
 * records than requested.
 */
export function pageNumberPager(paging: PagePaging): Pager {
  const first = paging.first ?? 1
  const more = moreFlag(paging)
  const named = paging.next === undefined ? undefined : nextText(paging.next)
  const pagesPath = paging.pages === undefined ? undefined : compilePath(paging.pages)
  const pagesHeader = paging.pagesHeader?.toLowerCase()
  return {
    variables: ({ page }) => ({ page: page ?? first }),
    next({ json, headers, records, pageSize }, state) {
      const page = state.page ?? first
      if (named !== undefined) {
        const next = Number(named(json) ?? Number.NaN)
        if (more(json) === false || !Number.isSafeInteger(next)) return undefined
        if (next <= page) throw stuck()
        return { page: next }
      }
      const pages = Number((pagesHeader === undefined ? pagesPath?.(json) : headers[pagesHeader]) ?? Number.NaN)
      const goesOn = more(json) ?? (Number.isFinite(pages) ? page - first + 1 < pages : records.length >= pageSize)
      return goesOn && records.length > 0 ? { page: page + 1 } : undefined
    },
  }
}
