import type { Item } from '@mortise/client'
import { useState } from 'react'
import { CustomerField } from '../../parts/customer-field.tsx'
import { issueOf, SelectField } from '../../parts/fields.tsx'
import { useSettled } from '../../parts/use-settled.ts'
import { useCall, useChange } from '../../session/data.ts'
import type { Destination } from './destination-kinds.ts'
import { TargetDialog } from './target-dialog.tsx'

export type DestinationConnection = Item<'listDestinationConnections'>

const refreshes: 'listDestinationConnections'[] = ['listDestinationConnections']

/** Sets the destination of one connection, or removes it. */
export function ConnectionDialog({
  destination,
  connections,
  connectionId,
  onClose,
}: {
  destination: Destination
  /** Those that are loaded. */
  connections: DestinationConnection[] | undefined
  /** Undefined for a connection that is added. */
  connectionId: string | undefined
  onClose: () => void
}) {
  const current = connections?.find((one) => one.connectionId === connectionId)
  const [chosen, setChosen] = useState(connectionId ?? '')
  const save = useChange('setDestinationConnection', {
    refreshes,
    showsProblem: false,
    done: (set) => `The connection of ${set.groupRef} to ${set.provider} has ${set.destinationName} now.`,
    onDone: onClose,
  })
  const remove = useChange('deleteDestinationConnection', {
    refreshes,
    showsProblem: false,
    done: 'The connection has the destination of its group from now on.',
    onDone: onClose,
  })
  const isNew = connectionId === undefined
  const error = save.error ?? remove.error
  return (
    <TargetDialog
      title={isNew ? 'Add a connection' : `Destination of ${current?.groupRef ?? ''} in ${current?.provider ?? ''}`}
      action={isNew ? 'Add connection' : 'Save'}
      current={current?.destinationName}
      ready={chosen !== ''}
      error={error}
      saving={save.isPending}
      removing={remove.isPending}
      onSave={(name) => save.mutate({ destination: destination.id, connectionId: chosen, body: { destination: name } })}
      onRemove={isNew ? undefined : () => remove.mutate({ destination: destination.id, connectionId })}
      onClose={onClose}
    >
      {isNew && <ConnectionFields value={chosen} error={issueOf(error, 'connectionId')} onChange={setChosen} />}
    </TargetDialog>
  )
}

/** A customer, and one of its connections. */
function ConnectionFields({
  value,
  error,
  onChange,
}: {
  value: string
  error: string | undefined
  onChange: (id: string) => void
}) {
  const [customer, setCustomer] = useState('')
  const groupRef = useSettled(customer)
  const { data } = useCall('listConnections', { query: { groupRef } }, { enabled: groupRef !== '' })
  const choices = groupRef === '' ? [] : (data ?? [])
  return (
    <>
      <CustomerField
        value={customer}
        onChange={(ref) => {
          setCustomer(ref)
          onChange('')
        }}
      />
      <SelectField
        label="Connection"
        value={value}
        error={error}
        help={groupRef !== '' && data?.length === 0 ? 'This customer has no connection.' : undefined}
        choices={[
          { value: '', label: 'Choose a connection' },
          ...choices.map(({ id, provider, providerWorkspaceRef, consumer }) => ({
            value: id,
            label: `${provider} (${providerWorkspaceRef ?? consumer.consumerName})`,
          })),
        ]}
        onChange={(event) => onChange(event.target.value)}
      />
    </>
  )
}
