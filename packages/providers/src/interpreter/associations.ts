import type { ReadAssociation } from '../catalogue/format/read.ts'
import { compileLoad } from './fields.ts'
import { type CompiledListing, compileListing } from './listing.ts'
import { compilePath, type PathReader, scalarText } from './path.ts'
import type { Variables } from './template.ts'

/** Records that a record is linked with. */
export interface CompiledAssociation {
  /** The field that asks for them. */
  field: string
  /** What stands in the request of the records for it. */
  ask: string | undefined
  /** The request that tells the links of several records, where the records do not. */
  request: { listing: CompiledListing; of: PathReader; next: PathReader | undefined; max: number } | undefined
  /**
   * The links in a record, or in an item of the answer to `request`. Undefined where it says nothing of them: they were
   * not asked for.
   */
  read: (record: unknown) => { id: string }[] | undefined
}

/** @param text the variables of the object */
export function compileAssociations(
  declared: Readonly<Record<string, ReadAssociation>> | undefined,
  text: Variables,
): CompiledAssociation[] {
  return Object.entries(declared ?? {}).map(([field, { ask, request, list, id }]) => {
    const links = list === undefined ? undefined : compileLoad(list)
    const idOf = compileLoad(id)
    return {
      field,
      ask,
      request: request && {
        listing: compileListing(request, text),
        of: compilePath(request.of),
        next: request.next === undefined ? undefined : compilePath(request.next),
        max: request.max,
      },
      read(record) {
        const found = links === undefined ? [record] : links(record)
        if (found === undefined || (links === undefined && idOf(record) === undefined)) return undefined
        // Null stands where there is no link.
        return (Array.isArray(found) ? found : []).flatMap((link: unknown) => {
          const text = scalarText(idOf(link))
          return text === undefined || text === '' ? [] : [{ id: text }]
        })
      },
    }
  })
}

/** What asks for those that are asked for by name: a variable of requests. */
export function asksFor(
  compiled: readonly CompiledAssociation[],
  fields: 'all' | readonly string[],
): { associations?: string[] } {
  const asks = wantedAssociations(compiled, fields).flatMap(({ ask }) => ask ?? [])
  return asks.length === 0 ? {} : { associations: asks }
}

/** Those that are asked for by name. */
export function wantedAssociations(
  compiled: readonly CompiledAssociation[],
  fields: 'all' | readonly string[],
): readonly CompiledAssociation[] {
  if (fields === 'all' || compiled.length === 0) return []
  const names = new Set(fields.map((field) => field.toLowerCase()))
  return compiled.filter(({ field }) => names.has(field.toLowerCase()))
}
