import type { FormField, FormMethod } from './wire.ts'

/** A field that has no usable value. */
export interface FieldIssue {
  field: string
  code: 'required' | 'tooLong' | 'refused'
  /** In the words of the service. */
  detail?: string
}

/** Removes what a field adds by itself, so that a whole address can be pasted. */
export function withoutAffixes(text: string, { prefix, suffix }: FormField): string {
  const value = text.trim()
  const lower = value.toLowerCase()
  let start = 0
  let end = value.length
  if (prefix && lower.startsWith(prefix.toLowerCase())) start = prefix.length
  if (suffix) {
    const at = lower.indexOf(suffix.toLowerCase(), start)
    const after = value[at + suffix.length]
    if (at >= start && (after === undefined || '/?#:'.includes(after))) end = at
  }
  return value.slice(start, end)
}

/**
 * Returns all gaps of a form, in the order of its fields. The service checks patterns: the engine of a browser may take
 * exponential time for a pattern of a provider file.
 */
export function issuesOf({ fields }: FormMethod, values: Record<string, string>): FieldIssue[] {
  return fields.flatMap((field): FieldIssue[] => {
    const value = values[field.name] ?? ''
    const isEmpty = value.trim() === ''
    if (isEmpty) return field.optional ? [] : [{ field: field.name, code: 'required' }]
    if (field.maxLength !== undefined && value.length > field.maxLength) return [{ field: field.name, code: 'tooLong' }]
    return []
  })
}

/** Returns the first values of a form: those typed before, then those of the form. */
export function initialValues({ fields }: FormMethod, typed: Record<string, string>): Record<string, string> {
  const values = { ...typed }
  for (const { name, initial, type, options, optional } of fields)
    values[name] ??= initial ?? (type === 'select' && !optional ? (options?.[0]?.value ?? '') : '')
  return values
}

/** Returns what the service is sent: the values of these fields that are not empty. */
export function sentValues({ fields }: FormMethod, values: Record<string, string>): Record<string, string> {
  const sent: Record<string, string> = {}
  for (const field of fields) {
    const value = values[field.name] ?? ''
    if (value !== '') sent[field.name] = value
  }
  return sent
}
