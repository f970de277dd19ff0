import { Button } from '../../parts/button.tsx'
import { healthQueries } from '../../parts/failing.tsx'
import { useCall, useChange } from '../../session/data.ts'
import { useMay } from '../../session/project.tsx'
import type { InstallationIds } from './types.ts'

/** Pauses or resumes the scheduled reads of all objects. */
export function PauseAll({ ids }: { ids: InstallationIds }) {
  const may = useMay('operator')
  const { data: schedules = [] } = useCall('listReadSchedules', ids)
  const pause = useChange('pauseReads', { refreshes: [...healthQueries], done: 'The scheduled reads are paused.' })
  const resume = useChange('unpauseReads', { refreshes: [...healthQueries], done: 'The scheduled reads resume now.' })
  if (schedules.length === 0 || !may) return null
  const isPaused = schedules.every(({ pauseReason }) => pauseReason !== undefined)
  const change = isPaused ? resume : pause
  return (
    <Button busy={change.isPending} onClick={() => change.mutate({ ...ids, body: {} })}>
      {isPaused ? 'Resume all reads' : 'Pause all reads'}
    </Button>
  )
}
