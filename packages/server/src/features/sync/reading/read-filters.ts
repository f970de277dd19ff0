import type { FieldFilter } from '@mortise/providers'
import type { EffectiveReadObject } from '../../integrations/installations/index.ts'
import type { ReadKind } from './model.ts'

/** Returns the conditions on the records of a read: the backfill may have its own. */
export function readFilters(
  { fieldFilters, backfillFilters }: Pick<EffectiveReadObject, 'fieldFilters' | 'backfillFilters'>,
  kind: ReadKind,
): FieldFilter[] {
  const filters = (kind === 'backfill' ? backfillFilters : undefined) ?? fieldFilters ?? []
  return filters.flatMap(({ fieldName, operator, value }) =>
    value === undefined ? [] : [{ field: fieldName, operator, value }],
  )
}
