import { useEffect, useRef, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FormProblem, isNeededAgain, issueOf, SelectField, TextField } from '../../parts/fields.tsx'
import { useChange } from '../../session/data.ts'
import { type Destination, kinds } from './destination-kinds.ts'
import { changedPaths, type FieldValues, headersOf, settingsOf, textsOf } from './field-values.ts'
import { SettingField } from './setting-field.tsx'
import type { KindField } from './shared-fields.ts'

/** Creates a destination, or changes one or its type. What the service masks stays as it is unless it is typed anew. */
export function DestinationForm({
  destination,
  changesType = false,
  name: startName,
  onClose,
  onDone,
}: {
  destination?: Destination
  /** Asks for all settings of another type. */
  changesType?: boolean
  name?: string | undefined
  onClose: () => void
  onDone: (destination: { name: string }) => void
}) {
  const [name, setName] = useState(destination?.name ?? startName ?? '')
  const [type, setType] = useState((changesType ? otherType(destination?.type) : destination?.type) ?? 'webhook')
  const fields = kinds[type]?.fields ?? []
  const [values, setValues] = useState<FieldValues>(() => (changesType ? {} : textsOf(fields, destination?.metadata)))
  const isEdited = destination !== undefined && !changesType
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
        (values[field.name] || field.optional || (isEdited && field.isSecret)) &&
        (field.input !== 'headers' || headersOf(values[field.name] ?? '').wrong === undefined),
    )
  function send() {
    const { metadata, secrets } = settingsOf(fields, values)
    if (!destination) return create.mutate({ body: { name, type, metadata, secrets } })
    if (changesType) {
      const updateMask = ['type', 'metadata', 'secrets']
      const changed = { type, metadata, secrets }
      return update.mutate({ destination: destination.id, body: { updateMask, destination: changed } })
    }
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
  const form = useFocusOfError(error)
  const rare = fields.filter(({ isRare }) => isRare)
  const hasRare = rare.some(({ name: setting }) => values[setting] || issueOf(error, setting))
  const settingField = (field: KindField) => (
    <SettingField
      key={field.name}
      field={field}
      value={values[field.name] ?? ''}
      isEdited={isEdited}
      isNeeded={isNeededAgain(error, field.name)}
      error={issueOf(error, field.name)}
      onChange={(value) => setValues({ ...values, [field.name]: value })}
    />
  )
  return (
    <Dialog open onClose={onClose} title={titleOf(destination, changesType)} text={kinds[type]?.about}>
      <form
        ref={form}
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (isComplete) send()
        }}
      >
        {!isEdited && (
          <SelectField
            label="Kind"
            value={type}
            choices={Object.entries(kinds)
              .filter(([value]) => value !== destination?.type)
              .map(([value, { label }]) => ({ value, label }))}
            onChange={(event) => {
              setType(event.target.value)
              setValues({})
            }}
          />
        )}
        {!changesType && (
          <TextField
            label="Name"
            value={name}
            help="Manifests use this name. Letters, digits and dashes."
            error={issueOf(error, 'name')}
            onChange={(event) => setName(event.target.value)}
          />
        )}
        {changesType && <p className="muted">Waiting messages go to the new type. The former settings are lost.</p>}
        {fields.filter(({ isRare }) => !isRare).map(settingField)}
        {rare.length > 0 && (
          <details className="form-rare" open={hasRare || undefined}>
            <summary>Further settings</summary>
            <div className="form">{rare.map(settingField)}</div>
          </details>
        )}
        <FormProblem error={error} labels={Object.fromEntries(fields.map(({ name: key, label }) => [key, label]))} />
        <div className="row dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={create.isPending || update.isPending} disabled={!isComplete}>
            {changesType ? 'Change type' : destination ? 'Save destination' : 'Create destination'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Focuses the first field that is wrong: the form is long, and it may be out of sight. */
function useFocusOfError(error: unknown) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])
  return form
}

const otherType = (type: string | undefined) => Object.keys(kinds).find((other) => other !== type)

function titleOf(destination: Destination | undefined, changesType: boolean): string {
  if (!destination) return 'Create destination'
  return changesType ? `Change the type of ${destination.name}` : `Edit ${destination.name}`
}
