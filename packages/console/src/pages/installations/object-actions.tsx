import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { healthQueries } from '../../parts/failing.tsx'
import { Menu } from '../../parts/menu.tsx'
import { useChange } from '../../session/data.ts'
import { useMay } from '../../session/project.tsx'
import type { InstallationDetail } from './types.ts'

/** Reads an object now, backfills it again, pauses or resumes it. */
export function ObjectActions({
  installation,
  objectName,
  isPaused,
}: {
  installation: InstallationDetail
  objectName: string
  isPaused: boolean
}) {
  const { id: installationId, integrationId, group } = installation
  const [asks, setAsks] = useState(false)
  const may = useMay('operator')
  const refreshes = [...healthQueries]
  const read = useChange('triggerRead', { refreshes, done: `The read of ${objectName} starts now.` })
  const backfill = useChange('triggerRead', { refreshes, done: `The backfill of ${objectName} starts now.` })
  const pause = useChange('pauseReads', { refreshes, done: `The scheduled reads of ${objectName} are paused.` })
  const resume = useChange('unpauseReads', { refreshes, done: `The scheduled reads of ${objectName} resume now.` })
  if (!may) return null
  const { groupRef } = group
  // Without a time, a triggered read would read everything again.
  const lately = () => new Date(Date.now() - 86_400_000).toISOString()
  const paused = { integrationId, installationId, body: { objects: [objectName] } }
  return (
    <>
      <Menu
        label={`Actions on ${objectName}`}
        items={[
          {
            label: 'Read the last 24 hours now',
            onSelect: () =>
              read.mutate({ integrationId, objectName, body: { mode: 'async', groupRef, sinceTimestamp: lately() } }),
          },
          { label: 'Backfill again…', onSelect: () => setAsks(true) },
          isPaused
            ? { label: 'Resume scheduled reads', onSelect: () => resume.mutate(paused) }
            : { label: 'Pause scheduled reads', onSelect: () => pause.mutate(paused) },
        ]}
      />
      <Dialog
        open={asks}
        onClose={() => setAsks(false)}
        title={`Backfill ${objectName} again?`}
        text="The backfill reads all existing records, and posts them to the destination again. A backfill that failed continues after its last page."
        actions={
          <>
            <Button onClick={() => setAsks(false)}>Cancel</Button>
            <Button
              look="primary"
              onClick={() => {
                backfill.mutate({ integrationId, objectName, body: { mode: 'async', groupRef, backfill: true } })
                setAsks(false)
              }}
            >
              Backfill again
            </Button>
          </>
        }
      />
    </>
  )
}
