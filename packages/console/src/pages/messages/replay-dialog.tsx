import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { CheckField, FormProblem, SelectField, TextField } from '../../parts/fields.tsx'
import { useCall, useChange } from '../../session/data.ts'

const dayMs = 86_400_000

/** A time as the field of the browser has it: local, to the minute. */
function local(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Sends a range of messages again, or all that failed of one destination. */
export function ReplayDialog({
  filters,
  onClose,
  onStarted,
}: {
  filters: Record<string, string>
  onClose: () => void
  onStarted: (replayId: string) => void
}) {
  const destinations = useCall('listDestinations', {})
  const [what, setWhat] = useState<'failedOf' | 'range'>('failedOf')
  const [destination, setDestination] = useState(filters['destination'] ?? '')
  const [from, setFrom] = useState(() => local(new Date(filters['createdAfter'] ?? Date.now() - dayMs)))
  const [to, setTo] = useState(() => local(new Date(filters['createdBefore'] ?? Date.now() + 60_000)))
  const [delivered, setDelivered] = useState(false)
  const replay = useChange('replayMessages', {
    refreshes: ['listMessages'],
    showsProblem: false,
    onDone: ({ id }) => onStarted(id),
  })
  const isComplete = what === 'failedOf' ? destination !== '' : from !== '' && to !== '' && from < to
  const names = destinations.data?.map(({ name }) => ({ value: name, label: name })) ?? []
  const send = () =>
    replay.mutate({
      body:
        what === 'failedOf'
          ? { failedOf: destination }
          : {
              range: {
                from: new Date(from).toISOString(),
                to: new Date(to).toISOString(),
                ...(destination !== '' && { destination }),
                ...(delivered && { states: ['failed', 'delivered'] as ('failed' | 'delivered')[] }),
              },
            },
    })
  return (
    <Dialog
      open
      onClose={onClose}
      title="Send messages again"
      text="Each message keeps its id, so an endpoint that stores ids recognizes it. It gets eight more attempts."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" busy={replay.isPending} disabled={!isComplete} onClick={send}>
            Send again
          </Button>
        </>
      }
    >
      <div className="form">
        <SelectField
          label="Which messages"
          value={what}
          choices={[
            { value: 'failedOf', label: 'All that failed, of one destination' },
            { value: 'range', label: 'Those of a range of time' },
          ]}
          onChange={(event) => setWhat(event.target.value as typeof what)}
        />
        <SelectField
          label="Destination"
          value={destination}
          choices={[{ value: '', label: what === 'range' ? 'All destinations' : 'Choose a destination' }, ...names]}
          onChange={(event) => setDestination(event.target.value)}
        />
        {what === 'range' && (
          <>
            <TextField
              label="Created from"
              type="datetime-local"
              value={from}
              onChange={(event) => setFrom(event.target.value)}
            />
            <TextField
              label="Created before"
              type="datetime-local"
              value={to}
              error={from !== '' && to !== '' && from >= to ? 'This time is not after the first one.' : undefined}
              onChange={(event) => setTo(event.target.value)}
            />
            <CheckField
              label="Also those that were delivered"
              help="Otherwise only those that failed."
              checked={delivered}
              onChange={setDelivered}
            />
          </>
        )}
        <FormProblem error={replay.error} />
      </div>
    </Dialog>
  )
}
