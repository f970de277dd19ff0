import type { KeysetPaging } from '../../catalogue/format/paging.ts'
import { compilePath } from '../path.ts'
import { lastKey, moreFlag, type Pager, stuck, tooManyTies } from './pager.ts'
import { tailOf, withoutTail } from './ties.ts'

/**
 * The next request names the key of the last record. The end: the provider's flag, or a short page. With `inclusive`,
 * records that share the last key are neither lost nor read twice.
 */
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
      if (afterKey === state.afterKey) throw inclusive ? tooManyTies() : stuck()
      return { afterKey, ...(inclusive && { ties: tailOf(read, records, afterKey) }) }
    },
    ...(inclusive && {
      pageSizeMin: 2,
      unread: (records, { ties }) => withoutTail(read, records, ties),
    }),
  }
}
