import type { FieldFilter } from '@mortise/providers'
import type { EffectiveReadObject } from '../../integrations/installations/index.ts'
import type { SearchRequest } from './model.ts'

/**
 * The conditions in the provider's words: a mapped name becomes the field that it comes from, a value that is delivered
 * the provider's. A name that is both counts as the mapped one: that is what the caller sees.
 */
export function providerFilters(
  filters: SearchRequest['fieldFilters'],
  { mappings, valueMappings }: Pick<EffectiveReadObject, 'mappings' | 'valueMappings'>,
): FieldFilter[] {
  const sources = new Map(mappings.map(({ to, from }) => [to, from]))
  return filters.map(({ fieldName, operator, value }) => {
    const field = sources.get(fieldName) ?? fieldName
    const values = Object.hasOwn(valueMappings, field) ? valueMappings[field] : undefined
    const delivered = String(value)
    const provided = values && Object.hasOwn(values, delivered) ? values[delivered] : undefined
    return { field, operator, value: provided ?? value }
  })
}
