import type { FieldMetadata } from '../../provider-calls/object-metadata/index.ts'
import type { FieldChanges, WatchedField } from './model.ts'

/** What a look at the fields of an object found. */
export interface Seen {
  fields: readonly WatchedField[]
  /**
   * There may be fields that are not listed: what is missing is not gone, and what is there may be described less well.
   */
  incomplete: boolean
}

/** What is kept and compared of the fields that a provider described. */
export function watchedFields(fields: Readonly<Record<string, FieldMetadata>>): WatchedField[] {
  return Object.values(fields).map(({ fieldName, displayName, valueType, providerType, isCustom, readOnly }) => ({
    fieldName,
    displayName,
    ...(valueType !== undefined && { valueType }),
    ...(providerType !== undefined && { providerType }),
    ...(isCustom !== undefined && { isCustom }),
    ...(readOnly !== undefined && { readOnly }),
  }))
}

/**
 * How fields changed since they were seen, and what is to be remembered of them. A field changed when its type, the
 * provider's own word for the type, or its label did. An incomplete look only ever adds: nothing that it does not show
 * has gone.
 */
export function diffFields(
  before: readonly WatchedField[],
  { fields, incomplete }: Seen,
): { changes: FieldChanges; remembered: WatchedField[] } {
  const old = new Map(before.map((field) => [field.fieldName, field]))
  const now = new Map(fields.map((field) => [field.fieldName, field]))
  const createdFields = fields.filter(({ fieldName }) => !old.has(fieldName))
  if (incomplete)
    return {
      changes: { createdFields, deletedFields: [], changedFields: [] },
      remembered: [...before, ...createdFields],
    }
  return {
    changes: {
      createdFields,
      deletedFields: before.filter(({ fieldName }) => !now.has(fieldName)),
      changedFields: fields.flatMap((newSchema) => {
        const oldSchema = old.get(newSchema.fieldName)
        return oldSchema && differs(oldSchema, newSchema) ? [{ oldSchema, newSchema }] : []
      }),
    },
    remembered: [...fields],
  }
}

function differs(a: WatchedField, b: WatchedField): boolean {
  return a.displayName !== b.displayName || a.valueType !== b.valueType || a.providerType !== b.providerType
}

export function countChanges({ createdFields = [], deletedFields = [], changedFields = [] }: Partial<FieldChanges>) {
  return createdFields.length + deletedFields.length + changedFields.length
}
