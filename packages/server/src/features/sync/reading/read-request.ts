import type { ReadPageRequest } from '@mortise/providers'
import type { ReadRun } from './model.ts'
import type { OpenRead } from './open-read.ts'

/** Returns the request of the next page of a read. */
export function readRequest(
  read: OpenRead,
  run: Pick<ReadRun, 'kind' | 'since' | 'until'> & Partial<Pick<ReadRun, 'page'>>,
  signal: AbortSignal,
): ReadPageRequest {
  const filters = read.filtersOf(run.kind)
  return {
    object: read.objectName,
    fields: read.wanted,
    signal,
    ...(filters.length > 0 && { filters }),
    ...(read.deletions && { deletions: true }),
    // A job of the provider pays for everything that an account has. A window is short.
    ...(run.kind === 'backfill' && { jobs: true }),
    ...(run.since && { since: run.since }),
    ...(run.until && { until: run.until }),
    ...(run.page !== undefined && { page: run.page }),
  }
}
