import { SelectField, TextArea, TextField } from '../../parts/fields.tsx'
import { headersOf } from './field-values.ts'
import type { KindField } from './shared-fields.ts'

/** One setting of a destination. */
export function SettingField({
  field,
  value,
  isEdited,
  isNeeded,
  error,
  onChange,
}: {
  field: KindField
  value: string
  /** Whether the destination exists: its secrets are not shown. */
  isEdited: boolean
  /** Whether the stored value is needed again. */
  isNeeded: boolean
  error: string | undefined
  onChange: (value: string) => void
}) {
  const { label, help, input = 'text', choices = [] } = field
  const isSecret = field.isSecret === true
  const kept = isSecret
    ? 'Empty: it stays as it is, for the same receiver.'
    : 'Parts that are *** stay as they are, if you change nothing.'
  const hasMasked = isEdited && !isNeeded && (isSecret || value.includes('***'))
  const shared = {
    label,
    help: [help, hasMasked && kept].filter(Boolean).join(' ') || undefined,
    optional: !isNeeded && (field.optional === true || (isEdited && isSecret)),
    error,
    value,
  }
  if (input === 'choice')
    return (
      <SelectField
        {...shared}
        choices={[{ value: '', label: 'Default' }, ...choices.map((choice) => ({ value: choice, label: choice }))]}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  if (input === 'boolean')
    return (
      <SelectField
        {...shared}
        choices={[
          { value: '', label: 'Default' },
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ]}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  if (input === 'lines' || input === 'headers') {
    const { wrong } = input === 'headers' ? headersOf(value) : {}
    return (
      <TextArea
        {...shared}
        rows={3}
        spellCheck={false}
        className="mono"
        error={wrong === undefined ? error : `"${wrong}" is not a name, a colon and a value.`}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  }
  if (input === 'number')
    return (
      <TextField
        {...shared}
        inputMode="numeric"
        pattern="[0-9]*"
        onChange={(event) => onChange(event.target.value.replaceAll(/\D/g, ''))}
      />
    )
  return (
    <TextField
      {...shared}
      type={isSecret ? 'password' : 'text'}
      autoComplete={isSecret ? 'new-password' : 'off'}
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
