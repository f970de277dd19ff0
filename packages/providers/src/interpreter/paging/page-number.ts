import type { PagePaging } from '../../catalogue/format/paging.ts'
import { ProviderError } from '../../provider-error.ts'
import { compilePath, scalarText } from '../path.ts'
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
  const session = paging.session === undefined ? undefined : compilePath(paging.session)
  const pagesHeader = paging.pagesHeader?.toLowerCase()
  /** @throws ProviderError without the value: the next request would begin again */
  const sessionOf = (json: unknown): { session?: string } => {
    if (session === undefined) return {}
    const text = scalarText(session(json))
    if (text === undefined || text === '')
      throw new ProviderError('unexpected_response', 'The response does not name what further pages need.')
    return { session: text }
  }
  return {
    variables: ({ page, session }) => ({ page: page ?? first, session }),
    next({ json, headers, records, pageSize }, state) {
      const page = state.page ?? first
      if (named !== undefined) {
        const next = Number(named(json) ?? Number.NaN)
        if (more(json) === false || !Number.isSafeInteger(next)) return undefined
        if (next <= page) throw stuck()
        return { page: next, ...sessionOf(json) }
      }
      const pages = Number((pagesHeader === undefined ? pagesPath?.(json) : headers[pagesHeader]) ?? Number.NaN)
      const goesOn = more(json) ?? (Number.isFinite(pages) ? page - first + 1 < pages : records.length >= pageSize)
      return goesOn && records.length > 0 ? { page: page + 1, ...sessionOf(json) } : undefined
    },
  }
}
