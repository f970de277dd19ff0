import type { ProviderObject } from '../catalogue/format/provider-file.ts'

/** Whether a custom field may be among these: declared fields are not custom. */
export function mayNameCustomField(fields: 'all' | readonly string[], object: ProviderObject): boolean {
  if (fields === 'all') return true
  const known = declaredNames(object)
  return fields.some((field) => !field.startsWith('$[') && !known.has(field.toLowerCase()))
}

/** Names of the declared fields, in lower case. */
export function declaredNames({ fields = [] }: ProviderObject): ReadonlySet<string> {
  const names = fields.flatMap((source) => (source.source === 'static' ? Object.keys(source.fields) : []))
  return new Set(names.map((name) => name.toLowerCase()))
}
