import type { Differences } from './differences.testkit.ts'

/** Livestorm documents at most 50 records on a page. */
const pageSize = ['"page[size]":"100"', '"page[size]":"50"'] as const

export const differences: Differences = {
  // The filter may leave out the second in which the window begins.
  secondsEarlier: { 'read-events-incremental-has-next': 1 },
  otherwise: {
    'read-events-incremental-has-next': pageSize,
    'read-events-has-next': pageSize,
    'read-people-last-page': pageSize,
    'read-people-attributes-last-page': pageSize,
  },
}
