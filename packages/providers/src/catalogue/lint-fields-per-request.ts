import type { Flaw } from './flaw.ts'
import type { ReadObject } from './format/provider-file.ts'
import { lintListing } from './lint-listing.ts'
import { usedVariables } from './lint-request.ts'

/** What the schema cannot say of fields in several requests: what reads the others, and by which variables. */
export function lintFieldsPerRequest(
  { read, get, readByIds }: ReadObject,
  shared: readonly string[],
  named: readonly string[],
): Flaw[] {
  const declared = read.fieldsPerRequest
  if (declared === undefined) return []
  const path = ['read', 'fieldsPerRequest']
  const flaws: Flaw[] = []
  if (declared.bytes === undefined && declared.count === undefined)
    flaws.push({ path, message: 'needs "bytes" or "count"' })
  const always = new Set([...(read.fieldsAlways ?? []), ...(declared.version === undefined ? [] : [declared.version])])
  if (declared.count !== undefined && declared.count <= always.size)
    flaws.push({ path: [...path, 'count'], message: 'leaves no room next to the fields that are always requested' })
  const other = declared.request ?? readByIds
  if (other === undefined) return [{ path, message: 'needs "request", or "readByIds" of the object' }]
  const { max: _, ...listing } = other
  const allowed = [...shared, 'ids', 'fields', 'associations', 'links']
  if (declared.request !== undefined) flaws.push(...lintListing([...path, 'request'], listing, allowed, named))
  const used = usedVariables(listing)
  // A list that has no filter by id returns all records.
  for (const name of declared.request === undefined ? ['ids', 'fields'] : ['fields'])
    if (used?.has(name) === false) flaws.push({ path, message: `needs a request by ids that uses {{${name}}}` })
  if (![read, get].some((request) => request !== undefined && usedVariables(request)?.has('fields') !== false))
    flaws.push({ path, message: 'needs {{fields}} in `read` or `get`' })
  if (Array.isArray(read.id) && declared.id === undefined)
    flaws.push({ path, message: 'does not support composite ids without "id"' })
  if (read.fieldsAlways?.some((name) => name.includes('{{')) === true)
    flaws.push({ path, message: 'does not support variables in `fieldsAlways`' })
  return flaws
}
