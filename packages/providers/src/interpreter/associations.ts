import type { ReadAssociation } from '../catalogue/format/read.ts'
import { compileLoad } from './fields.ts'
import { type CompiledListing, compileListing } from './listing.ts'
import { compilePath, type PathReader, scalarText } from './path.ts'
import { compilePattern, type Pattern } from './pattern.ts'
import type { Variables } from './template.ts'

/** Records that a record is linked with. */
export interface CompiledAssociation {
  /** The field that asks for them. */
  field: string
  /** Which fields do, where it is not one. */
  match: Pattern | undefined
  /** The text that selects it in the request of the records. */
  ask: string | undefined
  /** The request that returns the links of several records, if the records do not contain them. */
  request: { listing: CompiledListing; of: PathReader; next: PathReader | undefined; max: number } | undefined
  /**
   * Returns the links in a record, or in an item of the response to `request`. Undefined if it does not mention them:
   * they were not requested.
   */
  read: (record: unknown) => { id: string }[] | undefined
}

/** @param text the variables of the object */
export function compileAssociations(
  declared: Readonly<Record<string, ReadAssociation>> | undefined,
  text: Variables,
): CompiledAssociation[] {
  return Object.entries(declared ?? {}).map(([field, { ask, request, list, id, match }]) => {
    const links = list === undefined ? undefined : compileLoad(list)
    const idOf = compileLoad(id)
    return {
      field,
      match: match === undefined ? undefined : compilePattern(`(?i)${match}`),
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

/** The variable of requests that selects those requested by name. */
export function asksFor(
  compiled: readonly CompiledAssociation[],
  fields: 'all' | readonly string[],
): { associations?: string[] } {
  const asks = wantedAssociations(compiled, fields).flatMap(({ ask }) => ask ?? [])
  return asks.length === 0 ? {} : { associations: asks }
}

/** Those that are requested by name. */
export function wantedAssociations(
  compiled: readonly CompiledAssociation[],
  fields: 'all' | readonly string[],
): readonly CompiledAssociation[] {
  if (fields === 'all' || compiled.length === 0) return []
  const names = new Set(fields.map((field) => field.toLowerCase()))
  return compiled.flatMap((one) => {
    if (one.match === undefined) return names.has(one.field.toLowerCase()) ? [one] : []
    return [...names].filter((name) => one.match?.fits(name)).map((field) => ({ ...one, field }))
  })
}

/** Names of fields that are associations, of those that are declared or requested; lower-case. */
export function associationNames(compiled: readonly CompiledAssociation[], fields: readonly string[]): string[] {
  const declared = compiled.flatMap(({ field, match }) => (match === undefined ? [field] : []))
  return [...declared, ...wantedAssociations(compiled, fields).map(({ field }) => field)].map((name) =>
    name.toLowerCase(),
  )
}
