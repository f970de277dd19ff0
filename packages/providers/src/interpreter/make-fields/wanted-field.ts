import type { FieldDefinition, FieldMetadata } from '../../connector.ts'
import type { FieldPlan } from './field-plan.ts'

/** A choice of a select. */
interface Option {
  value: string
  label: string
}

/** The values of the variable `field`; what was not requested is absent. */
export type FieldVariables = Record<string, unknown> & { name: string; label: string; options?: Option[] }

/** The definition as the variable `field` of a provider file. */
export function fieldVariables(definition: FieldDefinition): FieldVariables {
  const { fieldName, displayName, valueType: _, stringOptions = {}, numericOptions = {}, ...rest } = definition
  const { values, valuesRestricted, defaultValue: text, length, pattern } = stringOptions
  const { defaultValue: number, precision, scale, min, max } = numericOptions
  const variables: FieldVariables = {
    name: fieldName,
    label: displayName,
    ...rest,
    length,
    pattern,
    precision,
    scale,
    min,
    max,
    default: text ?? number,
    restricted: valuesRestricted,
    ...(values && { options: values.map((value) => ({ value, label: value })) }),
  }
  for (const [name, value] of Object.entries(variables)) if (value === undefined) delete variables[name]
  return variables
}

/**
 * The variables of a change: choices are added to those that are there and none is taken away, since records may have
 * it. A label that the provider has for a choice stays.
 */
export function withKnownOptions(wanted: FieldVariables, field: FieldMetadata): FieldVariables {
  const added = newOptions(wanted, field)
  if (added === undefined) return wanted
  const known = (field.values ?? []).map(({ value, displayValue }) => ({ value, label: displayValue }))
  return { ...wanted, options: [...known, ...added] }
}

/** Returns the requested choices that do not exist; undefined if none are requested. */
export function newOptions({ options }: FieldVariables, { values = [] }: FieldMetadata): Option[] | undefined {
  const names = new Set(values.map(({ value }) => value))
  return options?.filter(({ value }) => !names.has(value))
}

/** Whether the field is known to match the request already. */
export function isAsWanted(wanted: FieldVariables, existing: FieldMetadata): boolean {
  const { name: _, label, options = [], ...rest } = wanted
  const known = new Set((existing.values ?? []).map(({ value }) => value))
  return (
    Object.keys(rest).length === 0 && existing.displayName === label && options.every(({ value }) => known.has(value))
  )
}

/** Whether the provider has one type for both. */
export function isSameType(
  types: FieldPlan['types'],
  wanted: FieldDefinition['valueType'],
  existing: FieldMetadata['valueType'],
): boolean {
  if (existing === undefined || existing === wanted) return true
  const words = types[existing as keyof FieldPlan['types']]
  return words !== undefined && JSON.stringify(words) === JSON.stringify(types[wanted])
}

/** Requested properties that no request names. */
export function leftOut(wanted: FieldVariables, named: ReadonlySet<string>): string[] {
  return Object.keys(wanted).filter((name) => {
    const variable = `field.${name}`
    return ![...named].some((used) => used === 'field' || used === variable || used.startsWith(`${variable}.`))
  })
}
