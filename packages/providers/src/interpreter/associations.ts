import type { ReadAssociation } from '../catalogue/format/read.ts'
import { compileLoad } from './fields.ts'
import { scalarText } from './path.ts'

/** Records that a record is linked with and that come along with it. */
export interface CompiledAssociation {
  /** The field that asks for them. */
  field: string
  /** What stands in the request for it. */
  ask: string
  /** Undefined where the record says nothing of them: they were not asked for. */
  read: (record: unknown) => { id: string }[] | undefined
}

export function compileAssociations(
  declared: Readonly<Record<string, ReadAssociation>> | undefined,
): CompiledAssociation[] {
  return Object.entries(declared ?? {}).map(([field, { ask, list, id }]) => {
    const links = list === undefined ? undefined : compileLoad(list)
    const idOf = compileLoad(id)
    return {
      field,
      ask,
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
  const asks = wantedAssociations(compiled, fields).map(({ ask }) => ask)
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
