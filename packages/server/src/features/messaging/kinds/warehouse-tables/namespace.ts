import { groupPlaceholder, refusalOfName, schemaForGroup } from '../group-ref.ts'
import type { SettingsReader } from '../settings-reader.ts'
import type { LayoutSettings } from './layout.ts'

/** A namespace is what contains tables: a schema, a dataset or a database. */
interface NamespaceRule {
  what: string
  pattern: RegExp
  remedy?: string
  isRequired?: boolean
  /** How names of the warehouse begin, in lowercase: no group may get one of them. */
  reserved: readonly string[]
}

/** Reads the namespace of tables: one for all, or with tables of records a name with the placeholder of groups. */
export function readNamespace(
  read: SettingsReader,
  name: string,
  layout: LayoutSettings['layout'],
  { what, pattern, remedy, isRequired = false, reserved }: NamespaceRule,
): string | undefined {
  const isText = { what, pattern: /^.{1,2000}$/s, ...(remedy !== undefined && { remedy }) }
  const value = isRequired ? read.text(name, isText) : read.optionalText(name, isText)
  if (value === undefined || value === '') return value
  if (!isByGroup(value) && pattern.test(value)) return value
  const refusal = refusalOf(value)
  if (refusal !== undefined) read.refuse(name, refusal.detail, refusal.remedy)
  return value

  function refusalOf(text: string) {
    if (!text.includes('{{') && !text.includes('}}')) return { detail: `must be ${what}.`, remedy }
    if (layout === 'tables') return refusalOfName(text, reserved)
    return {
      detail: 'has a placeholder, which is for tables of records.',
      remedy: 'Set layout to tables. Or give a name without a placeholder.',
    }
  }
}

/** Whether a setting names a namespace for each group. */
export function isByGroup(setting: string | undefined): setting is string {
  return setting?.includes(groupPlaceholder) ?? false
}

/**
 * Returns the namespace of the group of a message, of ASCII letters, digits and underscores. Only the part before the
 * group can have uppercase letters, so two groups differ in warehouses that ignore the case, too. Other letters become
 * their numbers: a hash alone would tell many names apart.
 */
export function namespaceForGroup(setting: string, body: object): string {
  return schemaForGroup(setting, body).replaceAll(/[^A-Za-z0-9_]/gu, (letter) =>
    (letter.codePointAt(0) ?? 0).toString(16),
  )
}

/** Returns the namespace of messages without a group, which a check can name. */
export function namespaceWithoutGroup(setting: string): string {
  return namespaceForGroup(setting, {})
}
