import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FormProblem, issueOf, SelectField, TextField } from '../../parts/fields.tsx'
import { useChange } from '../../session/data.ts'
import { type Destination, kinds } from './destination-kinds.ts'
import { changedPaths, type FieldValues, headersOf, settingsOf, textsOf } from './field-values.ts'
import { SettingField } from './setting-field.tsx'

/** Creates a destination, or changes one. What the service masks stays as it is unless it is typed anew. */
export function DestinationForm({
  destination,
  name: startName,
  onClose,
  onDone,
}: {
  destination?: Destination
  name?: string | undefined
  onClose: () => void
  onDone: (destination: { name: string }) => void
}) {
  const [name, setName] = useState(destination?.name ?? startName ?? '')
  const [type, setType] = useState(destination?.type ?? 'webhook')
  const fields = kinds[type]?.fields ?? []
  const [values, setValues] = useState<FieldValues>(() => textsOf(fields, destination?.metadata))
  const options = {
    refreshes: ['listDestinations', 'getDestination', 'getOverview'] as ('listDestinations' | 'getDestination')[],
    showsProblem: false,
    onDone,
  }
  const create = useChange('createDestination', { ...options, done: 'The destination exists.' })
  const update = useChange('updateDestination', { ...options, done: 'The destination is changed.' })
  const error = create.error ?? update.error
  const isComplete =
    name !== '' &&
    fields.every(
      (field) =>
        (values[field.name] || field.optional || (destination && field.isSecret)) &&
        (field.input !== 'headers' || headersOf(values[field.name] ?? '').wrong === undefined),
    )
  function send() {
    const { metadata, secrets } = settingsOf(fields, values)
    if (!destination) return create.mutate({ body: { name, type, metadata, secrets } })
    const paths = changedPaths(fields, values, destination)
    const updateMask = name === destination.name ? paths : ['name', ...paths]
    if (updateMask.length === 0) return onClose()
    // A setting that was emptied has no value otherwise.
    const emptied = Object.fromEntries(
      paths.flatMap((path) => (path.startsWith('metadata.') ? [[path.slice('metadata.'.length), null]] : [])),
    )
    const changed = { name, metadata: { ...emptied, ...metadata }, secrets }
    update.mutate({ destination: destination.id, body: { updateMask, destination: changed } })
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={destination ? `Edit ${destination.name}` : 'Create destination'}
      text={kinds[type]?.about}
    >
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (isComplete) send()
        }}
      >
        {!destination && (
          <SelectField
            label="Kind"
            value={type}
            choices={Object.entries(kinds).map(([value, { label }]) => ({ value, label }))}
            onChange={(event) => {
              setType(event.target.value)
              setValues({})
            }}
          />
        )}
        <TextField
          label="Name"
          value={name}
          help="Manifests use this name. Letters, digits and dashes."
          error={issueOf(error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        {fields.map((field) => (
          <SettingField
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            isEdited={destination !== undefined}
            error={issueOf(error, field.name)}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))}
        <FormProblem error={error} />
        <div className="row dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={create.isPending || update.isPending} disabled={!isComplete}>
            {destination ? 'Save destination' : 'Create destination'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
