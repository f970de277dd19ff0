import { isSame } from './canonical.ts'
import { matchObjects } from './diff.ts'
import type { IntegrationContent } from './manifest.ts'

/** One difference between two contents of an integration. */
export interface ContentChange {
  kind: 'added' | 'removed' | 'changed'
  /**
   * What differs, from the outside in: `['displayName']`, `['read', 'contacts']` for a whole object,
   * `['read', 'contacts', 'backfill', 'defaultPeriod', 'days']`, `['read', 'contacts', 'requiredFields', 'email']` for
   * a field, or `['agent', 'tools', 'merge_companies', 'request', 'path']`.
   */
  path: string[]
  /** Absent where added. */
  before?: unknown
  /** Absent where removed. */
  after?: unknown
}

const actions = ['read', 'write', 'subscribe'] as const
/** Lists whose items are matched by name: how a name is found. */
const namedLists: Readonly<Record<string, (item: NamedItem) => string>> = {
  requiredFields: ({ fieldName, mapToName }) => fieldName ?? mapToName ?? '',
  optionalFields: ({ fieldName, mapToName }) => fieldName ?? mapToName ?? '',
  objects: ({ objectName }) => objectName ?? '',
  tools: ({ name }) => name ?? '',
  providerTools: ({ toolName }) => toolName ?? '',
  arguments: ({ argumentName }) => argumentName ?? '',
}

interface NamedItem {
  fieldName?: string
  mapToName?: string
  objectName?: string
  name?: string
  toolName?: string
  argumentName?: string
}

/**
 * What differs between two contents, down to each field. Objects and fields are found again by name, and their order
 * does not count. `before` is absent for an integration that is new: then only its objects and parts are listed, not
 * what is in them.
 */
export function listChanges(before: IntegrationContent | undefined, after: IntegrationContent): ContentChange[] {
  const changes: ContentChange[] = []
  for (const key of ['name', 'provider', 'displayName', 'module'] as const)
    if (before) compare(changes, [key], before[key], after[key])
  for (const action of actions) {
    const { added, removed, both } = matchObjects<{ objectName: string }>(
      before?.[action]?.objects,
      after[action]?.objects,
    )
    for (const object of removed) changes.push({ kind: 'removed', path: [action, object.objectName], before: object })
    for (const [old, object] of both) compare(changes, [action, object.objectName], old, object)
    for (const object of added) changes.push({ kind: 'added', path: [action, object.objectName], after: object })
  }
  for (const part of ['proxy', 'watchSchema', 'agent'] as const) compare(changes, [part], before?.[part], after[part])
  return changes
}

function compare(changes: ContentChange[], path: string[], before: unknown, after: unknown): void {
  if (isSame(before, after)) return
  if (before === undefined) changes.push({ kind: 'added', path, after })
  else if (after === undefined) changes.push({ kind: 'removed', path, before })
  else if (Object.hasOwn(namedLists, path.at(-1) ?? '') && Array.isArray(before) && Array.isArray(after))
    compareNamed(changes, path, before as NamedItem[], after as NamedItem[])
  else if (isMapping(before) && isMapping(after))
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(changes, [...path, key], before[key], after[key])
  else changes.push({ kind: 'changed', path, before, after })
}

function compareNamed(changes: ContentChange[], path: string[], before: NamedItem[], after: NamedItem[]): void {
  const count = changes.length
  const nameOf = namedLists[path.at(-1) ?? ''] ?? (() => '')
  const left = byName(before, nameOf)
  for (const [name, item] of byName(after, nameOf)) {
    compare(changes, [...path, name], left.get(name), item)
    left.delete(name)
  }
  for (const [name, item] of left) changes.push({ kind: 'removed', path: [...path, name], before: item })
  // Only their order differs, which installations and agents see.
  if (changes.length === count) changes.push({ kind: 'changed', path, before, after })
}

/** Items by what tells them apart; a name that stands twice is numbered. */
function byName(items: NamedItem[], nameOf: (item: NamedItem) => string): Map<string, NamedItem> {
  const named = new Map<string, NamedItem>()
  for (const item of items) {
    const name = nameOf(item)
    let unique = name
    for (let number = 2; named.has(unique); number++) unique = `${name} (${number})`
    named.set(unique, item)
  }
  return named
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
