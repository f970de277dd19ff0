import type { ProviderRecord } from '../connector.ts'
import { ProviderError } from '../provider-error.ts'
import { type CompiledAssociation, wantedAssociations } from './associations.ts'
import { fetchPage } from './listing.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { stuck } from './paging/pager.ts'
import { scalarText } from './path.ts'
import { type Scope, scopeOf } from './scope.ts'
import type { Session } from './session.ts'

/** A record whose links are requested; with the function that requests those that a response left out. */
interface Asked {
  id: string
  after?: string
}

type Requested = CompiledAssociation & { request: NonNullable<CompiledAssociation['request']> }

/**
 * More requests for the links of one page than any account needs: a provider that always says there is more ends here.
 */
const requestsMax = 1_000

/**
 * Adds links to records if a field selects them and the provider returns them separately: one request for all records,
 * and further ones for records that have more links than one response contains.
 *
 * @throws ProviderError
 */
export async function addRequestedLinks(
  records: readonly ProviderRecord[],
  associations: readonly CompiledAssociation[],
  fields: 'all' | readonly string[],
  { session, base, scope, signal }: { session: Session; base: URL; scope: Scope; signal: AbortSignal | undefined },
): Promise<void> {
  const wanted = wantedAssociations(associations, fields).filter((one): one is Requested => one.request !== undefined)
  const ids = [...new Set(records.flatMap(({ id }) => id ?? []))]
  if (wanted.length === 0 || ids.length === 0) return
  const found = await mapConcurrently(wanted, async (association) => linksOf(association, ids))
  for (const record of records) {
    if (record.id === undefined) continue
    for (const [at, { field }] of wanted.entries()) {
      const links = found[at]?.get(record.id) ?? []
      record.associations = { ...record.associations, [field]: links }
      record.fields[field.toLowerCase()] = links
    }
  }

  async function linksOf({ field, request, read }: Requested, ids: readonly string[]) {
    const links = new Map(ids.map((id): [string, { id: string }[]] => [id, []]))
    const left: Asked[] = ids.map((id) => ({ id }))
    for (let count = 0; left.length > 0; count++) {
      if (count === requestsMax)
        throw new ProviderError('unexpected_response', `The links "${field}" do not end after ${requestsMax} requests.`)
      const some = left.splice(0, request.max)
      const asked = scopeOf({ records: some, association: field }, scope)
      const options = { state: {}, pageSize: request.max, signal }
      const { records: items } = await fetchPage(session, base, request.listing, asked, options)
      for (const item of items) {
        const id = scalarText(request.of(item)) ?? ''
        const known = links.get(id)
        // Records that were not requested are ignored.
        if (known === undefined) continue
        for (const link of read(item) ?? []) known.push(link)
        const after = scalarText(request.next?.(item))
        if (after === undefined || after === '') continue
        if (some.some((one) => one.id === id && one.after === after)) throw stuck()
        left.push({ id, after })
      }
    }
    return links
  }
}
