import type { EndedRead } from './hooks.ts'
import type { ReadRun } from './model.ts'

/**
 * Whether a run was triggered. A backfill of an object that is no longer read has not failed: nobody needs it any more.
 */
export const isTriggered = ({ kind }: Pick<ReadRun, 'kind'>) => kind === 'triggered'

/** Converts ended runs to the events of `ReadHooks`, without scheduled runs. `error` is set when they failed. */
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
