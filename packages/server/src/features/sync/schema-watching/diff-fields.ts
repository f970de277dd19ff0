import type { FieldMetadata } from '../../provider-calls/object-metadata/index.ts'
import type { FieldChanges, WatchedField } from './model.ts'

/** The fields that a check of an object found. */
export interface Seen {
  fields: readonly WatchedField[]
  /**
   * Some fields may be missing from the list: a missing field is not deleted, and a listed one may be described less
   * well.
   */
  incomplete: boolean
}

/** Returns the properties of described fields that are stored and compared. */
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
 * Compares fields with those of the last check and returns the changes and the fields to store. A field is changed when
 * its type, the provider's type name or its label differs. An incomplete check only adds fields: missing ones count as
 * unchanged.
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
