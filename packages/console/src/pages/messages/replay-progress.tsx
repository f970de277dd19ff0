import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Button } from '../../parts/button.tsx'
import { count } from '../../parts/numbers.ts'
import { Problem } from '../../parts/states.tsx'
import { refresh, useCall } from '../../session/data.ts'

const askMs = 1_000

/** How far a replay is. Its id is in the address, so that the page can be left and found again. */
export function ReplayProgress({ replayId, onClose }: { replayId: string; onClose: () => void }) {
  const queries = useQueryClient()
  const { data, error, refetch } = useCall('getMessageReplay', { replayId })
  const runs = data?.status === 'in_progress'
  useCall('getMessageReplay', { replayId }, { enabled: runs, everyMs: askMs })
  const done = data?.status === 'done'
  useEffect(() => {
    if (done) void refresh(queries, ['listMessages', 'getMessage', 'listMessageAttempts'])
  }, [done, queries])
  if (error != null) return <Problem error={error} onRetry={refetch} />
  if (!data) return null
  const { matched, requeued, skipped, missing } = data
  return (
    <div className="replay row" role="status">
      <strong>{done ? 'Done' : 'Sending again…'}</strong>
      <span className="number">
        {count(requeued)} of {count(matched)} sent again
        {skipped > 0 && `, ${count(skipped)} were waiting anyway`}
        {missing > 0 && `, ${count(missing)} are no longer kept`}
        {done && matched === 0 && '. No message matched.'}
      </span>
      {!done && <span className="muted small">You can leave this page; it continues.</span>}
      <span className="grow" />
      <Button look="quiet" onClick={onClose}>
        {done ? 'Dismiss' : 'Hide'}
      </Button>
    </div>
  )
}
