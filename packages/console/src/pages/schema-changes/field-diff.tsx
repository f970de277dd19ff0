import type { SchemaChange } from './use-changes.ts'

type Field = NonNullable<SchemaChange['createdFields']>[number]

const facts = ['displayName', 'valueType', 'providerType', 'isCustom', 'readOnly'] as const
const labels = {
  displayName: 'label',
  valueType: 'type',
  providerType: 'provider’s type',
  isCustom: 'added to the account',
  readOnly: 'read only',
}

/** What was added, deleted and changed. Signs and words; never color alone. */
export function FieldDiff({ change }: { change: SchemaChange }) {
  const { createdFields = [], deletedFields = [], changedFields = [] } = change
  return (
    <ul className="field-diff">
      {createdFields.map((field) => (
        <li key={`+${field.fieldName}`} className="diff-added">
          <span className="sign">+ added</span> <code>{field.fieldName}</code> <About field={field} />
        </li>
      ))}
      {deletedFields.map((field) => (
        <li key={`-${field.fieldName}`} className="diff-removed">
          <span className="sign">− deleted</span> <code>{field.fieldName}</code> <About field={field} />
        </li>
      ))}
      {changedFields.map(({ oldSchema, newSchema }) => (
        <li key={`~${newSchema.fieldName}`} className="diff-changed">
          <span className="sign">~ changed</span> <code>{newSchema.fieldName}</code>
          <ul>
            {facts
              .filter((fact) => oldSchema[fact] !== newSchema[fact])
              .map((fact) => (
                <li key={fact}>
                  {labels[fact]}: <del>{shown(oldSchema[fact])}</del> <span aria-hidden="true">→</span>{' '}
                  <ins>{shown(newSchema[fact])}</ins>
                </li>
              ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}

function About({ field }: { field: Field }) {
  const { displayName, valueType, providerType, isCustom, readOnly } = field
  return (
    <span className="muted">
      {[displayName, valueType ?? providerType, isCustom && 'custom', readOnly && 'read only']
        .filter(Boolean)
        .join(', ')}
    </span>
  )
}

function shown(value: string | boolean | undefined): string {
  if (value === undefined) return 'none'
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : value
}
