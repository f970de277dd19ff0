import { nearest } from '@mortise/manifest'
import type { Issue } from '../../../kernel/http/index.ts'
import type { EffectiveReadObject } from '../../integrations/installations/index.ts'
import type { SearchRequest } from './model.ts'

/** More fields fill a page; the rest is in the documentation of the provider. */
const namedMax = 50

/**
 * One issue for each condition that the provider cannot take, with the fields that it can, by the names that the caller
 * uses.
 *
 * @param found positions of the conditions; with `exists: false`, the account does not have their fields
 */
export function unsearchableFields(
  { at, searchable, exists = true }: { at: readonly number[]; searchable: readonly string[]; exists?: boolean },
  filters: SearchRequest['fieldFilters'],
  { mappings }: Pick<EffectiveReadObject, 'mappings'>,
): Issue[] {
  const named = new Map(mappings.map(({ to, from }) => [from.toLowerCase(), to]))
  const fields = searchable.map((field) => named.get(field.toLowerCase()) ?? field)
  const all = `${fields.slice(0, namedMax).join(', ')}${fields.length > namedMax ? ', …' : ''}`
  return at.map((index) => {
    const fieldName = filters[index]?.fieldName ?? ''
    const meant = nearest(fieldName, fields)
    return {
      in: 'body',
      name: `fieldFilters[${index}].fieldName`,
      value: fieldName,
      detail: exists
        ? `Records of this object cannot be searched by ${JSON.stringify(fieldName)}.`
        : `The object has no field ${JSON.stringify(fieldName)} in this account.`,
      remedy: `${meant === undefined ? '' : `Did you mean ${JSON.stringify(meant)}? `}Search by: ${all}.`,
      context: { searchable: fields },
    }
  })
}
