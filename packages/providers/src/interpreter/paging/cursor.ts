import type { CursorPaging } from '../../catalogue/format/paging.ts'
import { moreFlag, nextOf, noLink, type Pager, stuck } from './pager.ts'

/** The answer names a cursor. */
export function cursorPager(paging: CursorPaging): Pager {
  const inBody = nextOf(paging)
  const header = paging.nextHeader?.toLowerCase()
  const more = moreFlag(paging)
  return {
    variables: ({ cursor }) => ({ cursor }),
    next({ json, headers }, state) {
      const found =
        more(json) === false ? undefined : header === undefined ? inBody(json) : headers[header] || undefined
      const cursor = paging.parameter === undefined ? found : parameterOf(found, paging.parameter)
      if (cursor === undefined && found !== undefined && paging.list !== undefined) throw noLink()
      if (cursor === undefined) return undefined
      if (cursor === state.cursor) throw stuck()
      return { cursor }
    },
  }
}

/** Returns a query parameter of a URL, absolute or relative; `undefined` if there is none, or if it is not a URL. */
function parameterOf(url: string | undefined, name: string): string | undefined {
  if (url === undefined || !URL.canParse(url, 'https://relative.invalid')) return undefined
  return new URL(url, 'https://relative.invalid').searchParams.get(name) || undefined
}
