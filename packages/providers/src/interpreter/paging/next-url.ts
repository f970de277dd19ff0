import type { NextUrlPaging } from '../../catalogue/format/paging.ts'
import { moreFlag, nextOf, type Pager } from './pager.ts'

/** The body names the URL of the next page. That it lies on the declared origin is checked where the URL is used. */
export function nextUrlPager(paging: NextUrlPaging): Pager {
  const read = nextOf(paging)
  const more = moreFlag(paging)
  return {
    variables: () => ({}),
    next({ json }) {
      const url = more(json) === false ? undefined : read(json)
      return url === undefined ? undefined : { url }
    },
  }
}
