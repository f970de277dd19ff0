import type { Item } from '@mortise/client'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { CustomerField } from '../../parts/customer-field.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FormProblem, issueOf, SelectField } from '../../parts/fields.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useCall, useChange } from '../../session/data.ts'
import { useMay } from '../../session/project.tsx'
import { type Destination, kindOf } from './destination-kinds.ts'

export type DestinationGroup = Item<'listDestinationGroups'>

const refreshes: 'listDestinationGroups'[] = ['listDestinationGroups']
/** Kinds that pass messages on and send none themselves. */
const forwarding = ['fan-out', 'by-group']

/** Sets the destination of one group, or removes it. */
export function GroupDialog({
  destination,
  groups,
  groupRef,
  onClose,
}: {
  destination: Destination
  /** Those that are loaded. */
  groups: DestinationGroup[] | undefined
  /** Undefined for a group that is added. */
  groupRef: string | undefined
  onClose: () => void
}) {
  const all = useCall('listDestinations', {})
  const current = groups?.find((one) => one.groupRef === groupRef)?.destinationName
  return (
    <Dialog
      open
      onClose={onClose}
      title={groupRef === undefined ? 'Add a group' : `Destination of ${groupRef}`}
      text="A change applies to messages that are posted from now on. Messages that a destination has stay there."
    >
      <Loaded query={all} lines={3}>
        {(found) => (
          <GroupForm
            key={current ?? ''}
            {...{ destination, groups, groupRef, current, onClose }}
            senders={found.filter(({ type }) => !forwarding.includes(type))}
          />
        )}
      </Loaded>
    </Dialog>
  )
}

interface FormProps {
  destination: Destination
  groups: DestinationGroup[] | undefined
  groupRef: string | undefined
  current: string | undefined
  senders: Destination[]
  onClose: () => void
}

function GroupForm({ destination, groups, groupRef, current, senders, onClose }: FormProps) {
  const may = useMay('developer')
  const [typed, setTyped] = useState(groupRef ?? '')
  const [name, setName] = useState(current ?? '')
  const save = useChange('setDestinationGroup', {
    refreshes,
    showsProblem: false,
    done: ({ groupRef, destinationName }) => `${groupRef} has ${destinationName} now.`,
    onDone: onClose,
  })
  const remove = useChange('deleteDestinationGroup', {
    refreshes,
    showsProblem: false,
    done: `${groupRef} has the default from now on.`,
    onDone: onClose,
  })
  const error = save.error ?? remove.error
  const replaced = groupRef === undefined ? groups?.find((one) => one.groupRef === typed) : undefined
  const isMissing = current !== undefined && !senders.some((sender) => sender.name === current)
  const who = may ? undefined : 'A developer can do this.'
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed !== '' && name !== '')
          save.mutate({ destination: destination.id, groupRef: typed, body: { destination: name } })
      }}
    >
      {groupRef === undefined && <CustomerField value={typed} error={issueOf(error, 'groupRef')} onChange={setTyped} />}
      {replaced && <p className="muted">{`${typed} has ${replaced.destinationName}. You replace it.`}</p>}
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
        {groupRef !== undefined && (
          <Button
            look="danger"
            busy={remove.isPending}
            disabled={!may || save.isPending}
            title={who}
            onClick={() => remove.mutate({ destination: destination.id, groupRef })}
          >
            Remove
          </Button>
        )}
        <span className="grow" />
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          busy={save.isPending}
          disabled={!may || typed === '' || name === '' || name === current || remove.isPending}
          title={who}
        >
          {groupRef === undefined ? 'Add group' : 'Save'}
        </Button>
      </div>
    </form>
  )
}
