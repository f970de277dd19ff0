import type { OffsetPaging } from '../../catalogue/format/paging.ts'
import { moreFlag, nextText, type Pager, stuck } from './pager.ts'

/** Number of records to skip: named by the answer, or counted: by the answer, or from the records that came. */
export function offsetPager(paging: OffsetPaging): Pager {
  const first = paging.first ?? 0
  const named = paging.next === undefined ? undefined : nextText(paging.next)
  const reported = paging.count === undefined ? undefined : nextText(paging.count)
  const more = moreFlag(paging)
  return {
    variables: ({ offset }) => ({ offset: offset ?? first }),
    next({ json, records, pageSize }, state) {
      const offset = state.offset ?? first
      const goesOn = more(json)
      if (goesOn === false || records.length === 0) return undefined
      if (named !== undefined) {
        const next = Number(named(json) ?? Number.NaN)
        if (!Number.isSafeInteger(next)) return undefined
        if (next <= offset) throw stuck()
        return { offset: next }
      }
      const total = Number(reported?.(json) ?? Number.NaN)
      const count = Number.isSafeInteger(total) && total > records.length ? total : records.length
      return goesOn === true || count >= pageSize ? { offset: offset + count } : undefined
    },
  }
}
