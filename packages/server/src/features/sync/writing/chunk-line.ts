import type { BatchRecordResult } from '@mortise/providers'
import type { LogLine } from '../../platform/operations/index.ts'
import { callDetails, type ProviderCall } from '../../provider-calls/calls/index.ts'

/**
 * Returns the log line of records that were sent together, with the requests that it took.
 *
 * @param from position of the first of them in the write
 */
export function chunkLine(
  from: number,
  results: readonly BatchRecordResult[],
  calls: readonly ProviderCall[],
  time: Date,
): LogLine {
  const to = from + results.length
  const written = results.filter(({ success }) => success).length
  return {
    severity: 'DEBUG',
    msg: `${results.length === 1 ? `Record ${to}` : `Records ${from + 1} to ${to}`}: ${written} written`,
    details: { ...callDetails(calls), records: `${results.length}`, written: `${written}` },
    time,
  }
}
