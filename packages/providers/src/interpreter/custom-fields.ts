import type { CustomFields } from '../catalogue/format/custom-fields.ts'
import { compileText } from './describe/live.ts'
import type { LiftedFields } from './fields.ts'
import { type CompiledListing, compileListing } from './listing.ts'
import { compilePath, compilePaths, scalarText } from './path.ts'
import type { Variables } from './template.ts'

/** The custom fields of an object's records, compiled. */
export interface CompiledCustomFields {
  /** The list of definitions, where names come from one. */
  definitions: CompiledListing | undefined
  /** @param defined the definitions as they were listed */
  reader(defined: readonly unknown[]): LiftedFields
}

export function compileCustomFields(declared: CustomFields, text: Variables): CompiledCustomFields {
  const list = compilePath(declared.list)
  const key = compileText(declared.key)
  const value = compilePaths(declared.value)
  const { definitions } = declared
  const definitionKey = definitions === undefined ? undefined : compilePath(definitions.key)
  const definitionName = definitions === undefined ? undefined : compileText(definitions.name)

  /** Field names by key, as messages write them: lower-cased. */
  function namesOf(defined: readonly unknown[]): ReadonlyMap<string, string> {
    const names = new Map<string, string>()
    for (const definition of defined) {
      const at = scalarText(definitionKey?.(definition))
      const name = definitionName?.(definition)
      if (at !== undefined && name !== undefined && name !== '') names.set(at, name.toLowerCase())
    }
    return names
  }

  return {
    definitions: definitions === undefined ? undefined : compileListing(definitions, text),
    reader(defined) {
      const names = definitions === undefined ? undefined : namesOf(defined)
      return (record) => {
        const fields = new Map<string, unknown>()
        const items = list(record)
        if (!Array.isArray(items)) return fields
        for (const item of items) {
          const at = key(item)
          const name = at === undefined ? undefined : names === undefined ? at.toLowerCase() : names.get(at)
          if (name !== undefined && name !== '' && name !== '__proto__') fields.set(name, value(item))
        }
        return fields
      }
    },
  }
}
