import type { ReactNode } from 'react'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FormProblem, issueOf, SelectField } from '../../parts/fields.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useCall } from '../../session/data.ts'
import { useMay } from '../../session/project.tsx'
import { type Destination, kindOf } from './destination-kinds.ts'

/** Kinds that pass messages on and send none themselves. */
const forwarding = ['fan-out', 'by-group']

interface TargetFormProps {
  /** The destination that is set now. */
  current: string | undefined
  /** Label of the button that saves. */
  action: string
  /** Whether the rest of the form is complete. */
  ready: boolean
  error: unknown
  saving: boolean
  removing: boolean
  onSave: (name: string) => void
  /** Absent for one that is added. */
  onRemove?: (() => void) | undefined
  onClose: () => void
  /** The fields before the destination. */
  children?: ReactNode
}

/** Sets the destination of a group or of a connection, or removes it. */
export function TargetDialog({ title, ...form }: TargetFormProps & { title: string }) {
  const all = useCall('listDestinations', {})
  return (
    <Dialog
      open
      onClose={form.onClose}
      title={title}
      text="A change applies to messages that are posted from now on. Messages that a destination has stay there."
    >
      <Loaded query={all} lines={3}>
        {(found) => (
          <TargetForm
            key={form.current ?? ''}
            {...form}
            senders={found.filter(({ type }) => !forwarding.includes(type))}
          />
        )}
      </Loaded>
    </Dialog>
  )
}

function TargetForm({
  senders,
  current,
  action,
  ready,
  error,
  saving,
  removing,
  onSave,
  onRemove,
  onClose,
  children,
}: TargetFormProps & { senders: Destination[] }) {
  const may = useMay('developer')
  const [name, setName] = useState(current ?? '')
  const isMissing = current !== undefined && !senders.some((sender) => sender.name === current)
  const who = may ? undefined : 'A developer can do this.'
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready && name !== '') onSave(name)
      }}
    >
      {children}
      <SelectField
        label="Destination"
        value={name}
        disabled={!may}
        error={issueOf(error, 'destination')}
        help={senders.length === 0 ? 'The project has no destination that sends. Create one first.' : undefined}
        choices={[
          { value: '', label: 'Choose a destination' },
          ...(isMissing ? [{ value: current, label: `${current} (does not exist)` }] : []),
          ...senders.map((sender) => ({ value: sender.name, label: `${sender.name} (${kindOf(sender.type)})` })),
        ]}
        onChange={(event) => setName(event.target.value)}
      />
      <FormProblem error={error} />
      <div className="row dialog-actions">
        {onRemove && (
          <Button look="danger" busy={removing} disabled={!may || saving} title={who} onClick={onRemove}>
            Remove
          </Button>
        )}
        <span className="grow" />
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          busy={saving}
          disabled={!may || !ready || name === '' || name === current || removing}
          title={who}
        >
          {action}
        </Button>
      </div>
    </form>
  )
}
