import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { ConfirmButton, Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/fields.tsx'
import { useChange } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import type { Destination } from './destination-kinds.ts'
import { ResendDialog } from './resend-dialog.tsx'
import type { TestAnswer } from './test-result.tsx'

const refreshes: ('getDestination' | 'listDestinations' | 'getOverview' | 'listMessages')[] = [
  'getDestination',
  'listDestinations',
  'getOverview',
  'listMessages',
]

export function DestinationActions({
  destination,
  onEdit,
  onChangeType,
  onTested,
}: {
  destination: Destination
  onEdit: () => void
  onChangeType: () => void
  onTested: (test: TestAnswer) => void
}) {
  const { id, name, status } = destination
  const project = useProjectRef()
  const navigate = useNavigate()
  const runs = useMay('operator')
  const builds = useMay('developer')
  const [pausing, setPausing] = useState(false)
  const [resending, setResending] = useState(false)
  const test = useChange('testDestination', { refreshes: [], onDone: onTested })
  const enable = useChange('enableDestination', {
    refreshes,
    done: 'The destination is enabled; its messages are sent.',
  })
  const remove = useChange('deleteDestination', {
    refreshes,
    done: `${name} is deleted.`,
    onDone: () => void navigate({ to: `/${project}/destinations` as never }),
  })
  const who = runs ? undefined : 'An operator can do this.'
  const builder = builds ? undefined : 'A developer can do this.'
  return (
    <>
      <Button
        look="primary"
        busy={test.isPending}
        disabled={!runs}
        title={who}
        onClick={() => test.mutate({ destination: id })}
      >
        {test.isPending ? 'Sending…' : 'Send a test message'}
      </Button>
      {status !== 'disabled' && (
        <Button disabled={!runs} title={who} onClick={() => setResending(true)}>
          Resend records
        </Button>
      )}
      {status !== 'disabled' && (
        <Button disabled={!runs} title={who} onClick={() => setPausing(true)}>
          Pause
        </Button>
      )}
      {status !== 'active' && (
        <Button busy={enable.isPending} disabled={!runs} title={who} onClick={() => enable.mutate({ destination: id })}>
          {status === 'disabled' ? 'Enable' : 'Try now'}
        </Button>
      )}
      <Button disabled={!builds} title={builder} onClick={onEdit}>
        Edit
      </Button>
      <Button disabled={!builds} title={builder} onClick={onChangeType}>
        Change type
      </Button>
      <ConfirmButton
        label="Delete"
        title={`Delete ${name}`}
        text="Its settings, its signing secret and its notification routes are lost. Messages that are not delivered wait for a new destination of this name."
        action="Delete destination"
        typed={name}
        busy={remove.isPending}
        disabled={!builds}
        onConfirm={() => remove.mutateAsync({ destination: id }).catch(() => undefined)}
      />
      {resending && <ResendDialog destination={destination} onClose={() => setResending(false)} />}
      {pausing && <PauseDialog destination={destination} onClose={() => setPausing(false)} />}
    </>
  )
}

function PauseDialog({ destination: { id, name }, onClose }: { destination: Destination; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const disable = useChange('disableDestination', { refreshes, done: `${name} is paused.`, onDone: onClose })
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Pause ${name}`}
      text="Its messages are queued until you enable it. Nothing is lost. Messages that are being sent may still arrive."
    >
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          disable.mutate({ destination: id, body: reason.trim() === '' ? {} : { reason: reason.trim() } })
        }}
      >
        <TextField
          label="Reason"
          optional
          help="Everyone who looks at the destination sees it. For example: maintenance until 14:00."
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <div className="row dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={disable.isPending}>
            Pause destination
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
