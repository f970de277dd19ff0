import type { CursorPaging } from '../../catalogue/format/paging.ts'
import type { PageState } from '../page-token.ts'
import { compilePath } from '../path.ts'
import { lastKey, moreFlag, nextText, type Pager, stuck } from './pager.ts'

/**
 * The answer names a cursor. With `restart`, a new query starts behind the last key after so many records: for searches
 * that give out only so many, and for cursors that count, which slip when records leave the window during the read.
 */
export function cursorPager(paging: CursorPaging): Pager {
  const inBody = paging.next === undefined ? () => undefined : nextText(paging.next)
  const header = paging.nextHeader?.toLowerCase()
  const more = moreFlag(paging)
  const restart =
    paging.restart === undefined ? undefined : { ...paging.restart, read: compilePath(paging.restart.key) }
  return {
    variables: ({ cursor, afterKey }) => ({ cursor, afterKey }),
    next({ json, headers, records }, state) {
      const found =
        more(json) === false ? undefined : header === undefined ? inBody(json) : headers[header] || undefined
      const cursor = paging.parameter === undefined ? found : parameterOf(found, paging.parameter)
      if (cursor === undefined) return undefined
      const seen = (state.seen ?? 0) + records.length
      if (restart !== undefined && records.length > 0 && seen >= restart.records) {
        const afterKey = lastKey(restart.read, records)
        if (afterKey === state.afterKey) throw stuck()
        return { afterKey }
      }
      if (cursor === state.cursor) throw stuck()
      const next: PageState = { cursor }
      if (restart !== undefined) next.seen = seen
      if (state.afterKey !== undefined) next.afterKey = state.afterKey
      return next
    },
  }
}

/** Returns a query parameter of a URL, absolute or relative; `undefined` if there is none, or if it is not a URL. */
function parameterOf(url: string | undefined, name: string): string | undefined {
  if (url === undefined || !URL.canParse(url, 'https://relative.invalid')) return undefined
  return new URL(url, 'https://relative.invalid').searchParams.get(name) || undefined
}
