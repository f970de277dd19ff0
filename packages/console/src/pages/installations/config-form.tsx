import { MortiseProblem, type Output } from '@mortise/client'
import { CheckField, SelectField, TextField } from '../../parts/fields.tsx'
import { useCall } from '../../session/data.ts'
import { type Content, pathOfIssue } from './config-change.ts'
import type { InstallationDetail } from './types.ts'

interface ReadObject {
  objectName?: string
  disabled?: boolean
  schedule?: string
  destination?: string
  selectedFields?: Record<string, boolean>
  selectedFieldsAuto?: 'all'
}

type Hydrated = NonNullable<Output<'getHydratedRevision'>['content']['read']>['objects'][number]

/** What most edits change: which objects and fields are read, how often, and where they go. */
export function ConfigForm({
  installation,
  content,
  error,
  onChange,
}: {
  installation: InstallationDetail
  content: Content
  error: unknown
  onChange: (content: Content) => void
}) {
  const { integrationId, connection, config } = installation
  // The account's own fields. Without an answer of the provider, the form has the fields that are chosen.
  const { data: revision } = useCall(
    'getHydratedRevision',
    { integrationId, revisionId: config.revisionId, query: { connectionId: connection.id } },
    { staleMs: 300_000 },
  )
  const { data: destinations = [] } = useCall('listDestinations', {}, { staleMs: 60_000 })
  const read = (content['read'] ?? {}) as { objects?: Record<string, ReadObject> }
  const objects = Object.entries(read.objects ?? {})
  const change = (name: string, next: ReadObject) =>
    onChange({ ...content, read: { ...read, objects: { ...read.objects, [name]: next } } })
  if (objects.length === 0)
    return <p className="muted">The installation reads no object. Writes and subscriptions are edited as JSON.</p>
  return (
    <div className="config-form">
      {objects.map(([name, object]) => (
        <ObjectForm
          key={name}
          name={name}
          object={object}
          hydrated={revision?.content.read?.objects.find(({ objectName }) => objectName === name)}
          destinations={destinations.map((destination) => destination.name)}
          error={error}
          onChange={(next) => change(name, next)}
        />
      ))}
      <p className="muted small">Mappings, filters, writes and subscriptions are edited as JSON.</p>
    </div>
  )
}

interface ObjectFormProps {
  name: string
  object: ReadObject
  hydrated: Hydrated | undefined
  destinations: string[]
  error: unknown
  onChange: (object: ReadObject) => void
}

function ObjectForm({ name, object, hydrated, destinations, error, onChange }: ObjectFormProps) {
  const { disabled = false, schedule = '', destination = '' } = object
  const choices = [...new Set([...destinations, destination])].map((value) => ({
    value,
    label: value || 'As deployed',
  }))
  return (
    <fieldset className="config-object">
      <legend>{hydrated?.displayName ?? name}</legend>
      <CheckField
        label="Read this object"
        checked={!disabled}
        onChange={(checked) => onChange(checked ? without(object, 'disabled') : { ...object, disabled: true })}
      />
      <div className="config-pair">
        <TextField
          label="Schedule"
          optional
          help={`A cron expression, in UTC. ${hydrated?.schedule ? `Empty means “${hydrated.schedule}”, as deployed.` : 'Empty means as deployed.'}`}
          value={schedule}
          error={issueAt(error, [name, 'schedule'])}
          onChange={({ target }) =>
            onChange(target.value === '' ? without(object, 'schedule') : { ...object, schedule: target.value })
          }
        />
        <SelectField
          label="Destination"
          choices={choices}
          value={destination}
          error={issueAt(error, [name, 'destination'])}
          onChange={({ target }) =>
            onChange(target.value === '' ? without(object, 'destination') : { ...object, destination: target.value })
          }
        />
      </div>
      <Fields
        object={object}
        hydrated={hydrated}
        error={issueAt(error, [name, 'selectedFields'])}
        onChange={onChange}
      />
    </fieldset>
  )
}

/** The object without a value: an absent one means as deployed. */
function without(object: ReadObject, key: keyof ReadObject): ReadObject {
  const { [key]: _, ...others } = object
  return others
}

/** What the service says of a value of an object, or of something in it. */
function issueAt(error: unknown, [object, key]: [string, string]): string | undefined {
  if (!(error instanceof MortiseProblem)) return undefined
  const found = error.issues.filter(({ name = '' }) => {
    const path = pathOfIssue(name)
    const at = path.indexOf(object)
    return at >= 0 && path[at + 1] === key
  })
  return found.length === 0
    ? undefined
    : found.map(({ detail, remedy }) => [detail, remedy].filter(Boolean).join(' ')).join(' ')
}

function Fields({
  object,
  hydrated,
  error,
  onChange,
}: Pick<ObjectFormProps, 'object' | 'hydrated' | 'onChange'> & { error: string | undefined }) {
  const { selectedFields = {}, selectedFieldsAuto } = object
  if (selectedFieldsAuto === 'all') return <p className="muted">All fields of the account are read.</p>
  const required = namesOf(hydrated?.requiredFields)
  const names = [...new Set([...required, ...namesOf(hydrated?.optionalFields), ...Object.keys(selectedFields)])]
  if (names.length === 0) return null
  return (
    <fieldset className="bare">
      <legend className="small muted">Fields</legend>
      {error !== undefined && <p className="field-error">{error}</p>}
      <div className="config-fields">
        {names.map((field) => (
          <CheckField
            key={field}
            label={field}
            checked={required.has(field) || selectedFields[field] === true}
            disabled={required.has(field)}
            onChange={(checked) => {
              const { [field]: _, ...others } = selectedFields
              onChange({ ...object, selectedFields: checked ? { ...others, [field]: true } : others })
            }}
          />
        ))}
      </div>
    </fieldset>
  )
}

function namesOf(fields: Hydrated['requiredFields'] = []): Set<string> {
  return new Set(
    fields.flatMap((field) => ('fieldName' in field && typeof field.fieldName === 'string' ? [field.fieldName] : [])),
  )
}
