import type { FieldFilter } from '@mortise/providers'
import type { EffectiveReadObject } from '../../integrations/installations/index.ts'
import type { SearchRequest } from './model.ts'

/**
 * Converts conditions to the provider's names and values. A mapped name becomes its source field, and a delivered value
 * becomes the provider's value. A name that is both mapped and a field counts as the mapped one: that is the one the
 * caller sees.
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
