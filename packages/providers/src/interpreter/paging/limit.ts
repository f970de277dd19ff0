import { ProviderError } from '../../provider-error.ts'
import type { PageState } from '../page-token.ts'
import type { Pager } from './pager.ts'

/**
 * Ends a list that has reached the provider's limit with an error: what lies behind the limit would be lost unnoticed.
 * The records up to there are delivered first.
 */
export function limitedPager(pager: Pager, recordsMax: number): Pager {
  return {
    ...pager,
    next(answer, state) {
      const seen = (state.seen ?? 0) + answer.records.length
      const next = pager.next(answer, state)
      if (seen >= recordsMax) return { truncated: recordsMax }
      return next && { ...next, seen }
    },
  }
}

/** @throws ProviderError `list_truncated` in place of the page behind the limit */
export function checkLimit({ truncated }: PageState): void {
  if (truncated === undefined) return
  throw new ProviderError(
    'list_truncated',
    `The provider returns at most ${truncated} records of this list, and it may have more.`,
  )
}
