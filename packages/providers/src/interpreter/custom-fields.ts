import type { CustomFields } from '../catalogue/format/custom-fields.ts'
import type { PartsOfList } from '../catalogue/format/values.ts'
import { compileText } from './describe/live.ts'
import type { ExtractedFields } from './fields.ts'
import { type CompiledListing, compileListing } from './listing.ts'
import { compilePath, isObject, type PathReader, scalarText } from './path.ts'
import type { Variables } from './template.ts'

/** The custom fields of an object's records, compiled. */
export interface CompiledCustomFields {
  /** The list of definitions, where names come from one. */
  definitions: CompiledListing | undefined
  /** @param defined the definitions as they were listed */
  reader(defined: readonly unknown[]): ExtractedFields
}

export function compileCustomFields(declared: CustomFields, text: Variables): CompiledCustomFields {
  const list = compilePath(declared.list)
  const key = compileText(declared.key ?? '')
  const value = compileValue(declared.value)
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
        const add = (at: string | undefined, item: unknown) => {
          const name = at === undefined ? undefined : names === undefined ? at.toLowerCase() : names.get(at)
          if (name !== undefined && name !== '' && name !== '__proto__') fields.set(name, value(item))
        }
        const items = list(record)
        if (declared.keyed === true) {
          if (isObject(items)) for (const [at, item] of Object.entries(items)) add(at, item)
        } else if (Array.isArray(items)) for (const item of items) add(key(item), item)
        return fields
      }
    },
  }
}

/** The first value that is there; of a list, what is wanted of its items. */
function compileValue(declared: CustomFields['value']): PathReader {
  if (typeof declared === 'string') return compilePath(declared)
  const readers = declared.map((one) => (typeof one === 'string' ? compilePath(one) : compileParts(one)))
  return (item) => {
    // A value that is empty is one, unless another is not.
    let empty: unknown
    for (const read of readers) {
      const found = read(item)
      if (found !== undefined && found !== null) return found
      if (found === null) empty = null
    }
    return empty
  }
}

/** The part of every item of a list, where there is one: as a list, or joined. */
export function compileParts({ path, each, join }: PartsOfList): PathReader {
  const list = compilePath(path)
  const part = compilePath(each)
  return (item) => {
    const found = list(item)
    if (!Array.isArray(found)) return undefined
    const parts = found.map(part)
    return join === undefined ? parts : parts.map((one) => scalarText(one) ?? '').join(join)
  }
}
