import type { FieldFilter } from '../connector.ts'
import { FieldsNotSearchable } from '../provider-error.ts'

/**
 * Adds to each filter the parameter by which the provider searches its field.
 *
 * @throws FieldsNotSearchable that names every field by which the provider cannot search
 */
export function withParameters(
  filters: readonly FieldFilter[],
  searchBy: Readonly<Record<string, string>> | undefined,
): readonly FieldFilter[] {
  if (searchBy === undefined) return filters
  const parameters = new Map(Object.entries(searchBy).map(([field, parameter]) => [field.toLowerCase(), parameter]))
  onlySearchable(filters, ({ field }) => parameters.has(field.toLowerCase()), Object.keys(searchBy))
  return filters.map((filter) => ({ ...filter, parameter: parameters.get(filter.field.toLowerCase()) }))
}

/** @throws FieldsNotSearchable that names every condition which the provider would ignore or refuse */
export function onlySearchable(
  filters: readonly FieldFilter[],
  isSearchable: (filter: FieldFilter) => boolean,
  searchable: readonly string[],
): void {
  const at = filters.flatMap((filter, index) => (isSearchable(filter) ? [] : [index]))
  if (at.length > 0) throw new FieldsNotSearchable(filters, at, searchable)
}
