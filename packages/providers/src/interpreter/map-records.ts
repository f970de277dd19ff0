import type { ProviderRecord } from '../connector.ts'
import { ProviderError } from '../provider-error.ts'
import { type CompiledAssociation, wantedAssociations } from './associations.ts'
import { compileFields, type ExtractedFields } from './fields.ts'
import type { ObjectPlan, Selection } from './object-plan.ts'
import { isObject, scalarText } from './path.ts'

/** Field lists of one object that are kept compiled; installations with the same choice share one. */
const selectionsMax = 100

/** Converts records of a response. @throws ProviderError if one is not an object */
export function mapRecords(
  plan: ObjectPlan,
  fields: 'all' | readonly string[],
  records: readonly unknown[],
  extracted?: ExtractedFields,
): ProviderRecord[] {
  const { read, linked } = selectionOf(plan, fields)
  return records.map((raw) => {
    if (!isObject(raw)) throw new ProviderError('unexpected_response', 'A record of the response is not an object.')
    const further = extracted?.(raw)
    const id = scalarText(plan.id(raw)) ?? (further && scalarText(plan.id({ ...Object.fromEntries(further), ...raw })))
    const values = read(raw, further)
    const record: ProviderRecord = id === undefined ? { fields: values, raw } : { id, fields: values, raw }
    if (linked.length > 0) record.associations = associationsOf(raw, values, linked)
    return record
  })
}

/** The links by their fields, of which they are values, too. */
function associationsOf(
  raw: Record<string, unknown>,
  values: Record<string, unknown>,
  linked: readonly CompiledAssociation[],
): Record<string, { id: string }[]> {
  const found = linked.flatMap(({ field, request, read }) => {
    const links = request === undefined ? read(raw) : undefined
    return links === undefined ? [] : [[field, links] as const]
  })
  for (const [field, links] of found) values[field.toLowerCase()] = links
  return Object.fromEntries(found)
}

function selectionOf(plan: ObjectPlan, fields: 'all' | readonly string[]): Selection {
  const { selections, flatten, associations, latest } = plan
  // The pages of a run come with one and the same list.
  if (latest?.fields === fields) return latest.selection
  const key = fields === 'all' ? '' : JSON.stringify(fields)
  const selection = selections.get(key) ?? {
    read: compileFields(fields, flatten),
    linked: wantedAssociations(associations, fields),
  }
  if (selections.size >= selectionsMax) selections.clear()
  selections.set(key, selection)
  plan.latest = { fields, selection }
  return selection
}
