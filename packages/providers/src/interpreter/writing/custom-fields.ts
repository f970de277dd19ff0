import type { WrittenCustomFields } from '../../catalogue/format/custom-fields.ts'
import type { ProviderObject } from '../../catalogue/format/provider-file.ts'
import { compileText } from '../describe/live.ts'
import type { Listing } from '../listing.ts'
import { declaredNames } from '../may-name-custom-field.ts'
import { bracketPath, pathNames } from '../path.ts'
import { compileBody, scopeOf } from '../request.ts'

/** How custom fields are written under the names that reads give them, compiled. */
export interface CustomFieldWriter {
  /** The list of their definitions. */
  definitions: Listing
  /** The field that holds the provider's list. */
  into: string
  /** The record with its custom fields in the provider's list; all else stays as it is. */
  assign(record: Record<string, unknown>, defined: readonly unknown[]): Record<string, unknown>
}

/** Undefined where the file does not say what is needed; a lint says so before. */
export function compileCustomFieldWriter(
  object: ProviderObject,
  {
    into = object.read?.customFields?.list,
    definitions = object.read?.customFields?.definitions,
    item,
  }: WrittenCustomFields,
): CustomFieldWriter | undefined {
  if (into === undefined || definitions === undefined) return undefined
  const nameOf = compileText(definitions.name)
  const body = compileBody(item)
  const own = declaredNames(object)
  const names = pathNames(into) ?? []
  const assign = names.length === 1 ? (names[0] ?? into) : bracketPath(names)

  return {
    definitions,
    into: assign,
    assign(record, defined) {
      const byName = new Map(defined.map((definition) => [nameOf(definition)?.toLowerCase(), definition]))
      const items: unknown[] = []
      const rest = Object.entries(record).filter(([field, value]) => {
        const name = field.toLowerCase()
        if (own.has(name) || !byName.has(name)) return true
        items.push(body.fill(scopeOf({ definition: byName.get(name), value })))
        return false
      })
      if (items.length === 0) return record
      const assigned = new Map(rest)
      const existing = assigned.get(assign)
      // What the caller put there already stays.
      assigned.set(assign, [...(Array.isArray(existing) ? (existing as unknown[]) : []), ...items])
      return Object.fromEntries(assigned)
    },
  }
}
