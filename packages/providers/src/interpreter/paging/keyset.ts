import type { KeysetPaging } from '../../catalogue/format/paging.ts'
import { compilePath, scalarText } from '../path.ts'
import { lastKey, moreFlag, type Pager, stuck } from './pager.ts'

/** The next request names the key of the last record. The end: the provider's flag, or a short page. */
export function keysetPager(paging: KeysetPaging): Pager {
  const read = compilePath(paging.key ?? 'id')
  const more = moreFlag(paging)
  const inclusive = paging.bound === 'inclusive'
  return {
    variables: ({ afterKey }) => ({ afterKey }),
    next({ json, records, pageSize }, state) {
      const goesOn = more(json) ?? records.length >= pageSize
      if (!goesOn || records.length === 0) return undefined
      const afterKey = lastKey(read, records)
      if (afterKey === state.afterKey) throw stuck()
      return { afterKey }
    },
    ...(inclusive && {
      pageSizeMin: 2,
      // It is not there any more when it was deleted meanwhile.
      unread: (records, { afterKey }) =>
        afterKey !== undefined && scalarText(read(records[0])) === afterKey ? records.slice(1) : records,
    }),
  }
}
