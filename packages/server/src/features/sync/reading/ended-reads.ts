import type { EndedRead } from './hooks.ts'
import type { ReadRun } from './model.ts'

/** A backfill of an object that is no longer read has not failed: nobody wants it any more. */
export const isTriggered = ({ kind }: Pick<ReadRun, 'kind'>) => kind === 'triggered'

/** Runs that have ended, as other features hear of them: those that somebody asked for. `error` when they failed. */
export function endedReads(
  installationId: string,
  runs: (Pick<ReadRun, 'kind' | 'since' | 'until'> & { objectName: string })[],
  error: string | undefined,
): EndedRead[] {
  return runs.flatMap(({ objectName, kind, since, until }) => {
    if (kind === 'scheduled') return []
    const outcome = error === undefined ? 'success' : 'failure'
    return [
      {
        installationId,
        objectName,
        kind,
        outcome,
        ...(since && { since }),
        ...(until && { until }),
        ...(error !== undefined && { error }),
      },
    ]
  })
}
