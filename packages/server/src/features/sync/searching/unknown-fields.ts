import { parseBracketPath } from '@mortise/manifest'
import type { FieldFilter } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { EffectiveReadObject, InstallationRecord } from '../../integrations/installations/index.ts'
import { type DescribeServices, describeObjects } from '../../provider-calls/object-metadata/index.ts'

/** The search has already taken time, and the caller waits. */
const describeMs = 10_000

/**
 * Finds the conditions whose field the account does not have, after a search without results: many providers ignore
 * such a condition or find nothing. Fields that manifest or config name are not checked, so a usual search costs no
 * request more. Descriptions are kept for a moment.
 *
 * @returns their positions and the fields of the account; undefined if all exist, or if not all fields are known
 */
export async function unknownFields(
  db: ProjectDb,
  services: DescribeServices,
  { connectionId, module }: Pick<InstallationRecord, 'connectionId' | 'module'>,
  { objectName, fields, mappings }: Pick<EffectiveReadObject, 'objectName' | 'fields' | 'mappings'>,
  filters: readonly FieldFilter[],
  signal: AbortSignal,
): Promise<{ at: number[]; searchable: string[] } | undefined> {
  const named = [...(fields === 'all' ? [] : fields), ...mappings.map(({ from }) => from), 'id']
  if (missing(filters, named).length === 0) return undefined
  const deadline = AbortSignal.timeout(describeMs)
  try {
    const described = await describeObjects(
      db,
      services,
      { connectionId, module },
      [objectName],
      AbortSignal.any([signal, deadline]),
    )
    const found = described.get(objectName)
    if (found === undefined || 'failure' in found || found.incomplete) return undefined
    const searchable = Object.keys(found.metadata.fields)
    const at = missing(filters, [...named, ...searchable])
    return searchable.length === 0 || at.length === 0 ? undefined : { at, searchable }
  } catch (error) {
    if (deadline.aborted && !signal.aborted) return undefined
    throw error
  }
}

/** Returns the positions of filters by none of these fields, or of a part of them. */
function missing(filters: readonly FieldFilter[], fields: readonly string[]): number[] {
  const names = new Set(fields.map(rootOf))
  return filters.flatMap(({ field }, index) => (names.has(rootOf(field)) ? [] : [index]))
}

function rootOf(field: string): string {
  return (parseBracketPath(field)?.[0] ?? field).toLowerCase()
}
