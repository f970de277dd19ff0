import type { Item } from '@mortise/client'
import { useState } from 'react'
import { CustomerField } from '../../parts/customer-field.tsx'
import { issueOf } from '../../parts/fields.tsx'
import { useChange } from '../../session/data.ts'
import type { Destination } from './destination-kinds.ts'
import { TargetDialog } from './target-dialog.tsx'

export type DestinationGroup = Item<'listDestinationGroups'>

const refreshes: 'listDestinationGroups'[] = ['listDestinationGroups']

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
  const [typed, setTyped] = useState(groupRef ?? '')
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
  const isNew = groupRef === undefined
  const error = save.error ?? remove.error
  const replaced = isNew ? groups?.find((one) => one.groupRef === typed) : undefined
  return (
    <TargetDialog
      title={isNew ? 'Add a group' : `Destination of ${groupRef}`}
      action={isNew ? 'Add group' : 'Save'}
      current={groups?.find((one) => one.groupRef === groupRef)?.destinationName}
      ready={typed !== ''}
      error={error}
      saving={save.isPending}
      removing={remove.isPending}
      onSave={(name) => save.mutate({ destination: destination.id, groupRef: typed, body: { destination: name } })}
      onRemove={isNew ? undefined : () => remove.mutate({ destination: destination.id, groupRef })}
      onClose={onClose}
    >
      {isNew && <CustomerField value={typed} error={issueOf(error, 'groupRef')} onChange={setTyped} />}
      {replaced && <p className="muted">{`${typed} has ${replaced.destinationName}. You replace it.`}</p>}
    </TargetDialog>
  )
}
