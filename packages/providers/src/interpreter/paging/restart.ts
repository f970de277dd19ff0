import type { Restart } from '../../catalogue/format/paging.ts'
import { ProviderError } from '../../provider-error.ts'
import { compilePath } from '../path.ts'
import { lastKey, type Pager, tooManyTies } from './pager.ts'
import { tailOf, withoutTail } from './ties.ts'

/**
 * Starts a new query behind the last key after so many records. For searches that return only so many, and for numbers
 * that count records and skip some when records leave the window during the read. A query that ends at the provider's
 * limit may have been cut: a new one follows it, too.
 *
 * @param recordsMax the provider's limit
 */
export function restartingPager(pager: Pager, restart: Restart, recordsMax = restart.records): Pager {
  const read = compilePath(restart.key)
  const isBefore = restart.bound === 'justBefore'
  const inclusive = isBefore || restart.bound === 'inclusive'
  return {
    ...pager,
    variables: (state) => ({
      ...pager.variables(state),
      afterKey: isBefore && state.afterKey !== undefined ? justBefore(state.afterKey) : state.afterKey,
    }),
    next(answer, state) {
      const { records, pageSize } = answer
      const seen = (state.seen ?? 0) + records.length
      const next = pager.next(answer, state)
      const isFull = next === undefined ? seen >= recordsMax : seen >= restart.records || seen + pageSize > recordsMax
      const key = records.length === 0 ? undefined : isFull || inclusive ? lastKey(read, records) : undefined
      const tail = inclusive && key !== undefined ? tailOf(read, records, key, state.tail) : undefined
      if (isFull && key !== undefined) {
        if (key !== state.afterKey) return { afterKey: key, ...(tail && { ties: tail }) }
        // A query that has one key only is read on, as far as the provider goes.
        if (!inclusive || next === undefined || seen + pageSize > recordsMax) throw tooManyTies()
      }
      if (next === undefined) return undefined
      const { afterKey, ties } = state
      return {
        ...next,
        seen,
        ...(tail && { tail }),
        ...(afterKey !== undefined && { afterKey }),
        ...(ties && { ties }),
      }
    },
    ...(inclusive && { unread: (records, { ties }) => withoutTail(read, records, ties) }),
  }
}

/** A time, one millisecond earlier: a filter that excludes it finds the records of the given time. */
function justBefore(key: string): string {
  const time = new Date(Date.parse(key) - 1)
  if (Number.isNaN(time.getTime()))
    throw new ProviderError('unexpected_response', 'The key that the records are sorted by is not a time.')
  return time.toISOString()
}
