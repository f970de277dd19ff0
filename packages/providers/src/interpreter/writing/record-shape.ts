import type { Gathered } from '../../catalogue/format/write.ts'
import { pathNames } from '../path.ts'
import { compilePattern } from '../pattern.ts'
import { compileBody, scopeOf } from '../request.ts'

/** Turns a record by field names into the record as the provider nests it. */
export type RecordShape = (record: Record<string, unknown>) => Record<string, unknown>

/** An object in which any name is only a name, `__proto__` too. */
type Tree = Record<string, unknown>

const nameCharactersMax = 500

/**
 * @param flatten objects whose keys count as the record's own fields: `$['properties']['email']` is the field `email`
 *   again
 * @param moved fields that belong to another list or object (`gather`)
 */
export function compileShape(flatten: readonly string[], moved: readonly Gathered[] = []): RecordShape {
  const containers = new Set(flatten)
  const rules = moved.map(({ match, except = [], into, item }) => ({
    match: compilePattern(`^(?:${match})$`),
    except: new Set(except),
    into: pathNames(into) ?? [into],
    item: item === undefined ? undefined : compileBody(item),
  }))
  return (record) => {
    const tree: Tree = emptyTree()
    for (const [field, value] of Object.entries(record)) {
      const rule =
        field.length > nameCharactersMax
          ? undefined
          : rules.find(({ match, except }) => !except.has(field) && match.test(field))
      const key = rule?.match.result(field)
      if (rule === undefined || key === undefined) {
        setAt(tree, namesOf(field, containers), value)
      } else if (rule.item === undefined) {
        setAt(tree, [...rule.into, key], value)
      } else {
        append(tree, rule.into, rule.item.fill(scopeOf({ key, value })))
      }
    }
    return tree
  }
}

function namesOf(field: string, containers: ReadonlySet<string>): string[] {
  const names = field.startsWith('$[') && field.length <= nameCharactersMax ? pathNames(field) : undefined
  if (names === undefined || names.length === 0) return [field]
  const [first = ''] = names
  return names.length > 1 && containers.has(first) ? names.slice(1) : names
}

function setAt(tree: Tree, names: readonly string[], value: unknown): void {
  const parent = parentOf(tree, names)
  parent[names.at(-1) ?? ''] = value
}

function append(tree: Tree, names: readonly string[], item: unknown): void {
  const parent = parentOf(tree, names)
  const name = names.at(-1) ?? ''
  const known = parent[name]
  parent[name] = [...(Array.isArray(known) ? (known as unknown[]) : []), item]
}

/**
 * Returns the object that contains the last name. Copies objects of the caller first, so that the caller's record does
 * not change.
 */
function parentOf(tree: Tree, names: readonly string[]): Tree {
  let at = tree
  for (const name of names.slice(0, -1)) {
    const inside = emptyTree()
    const known = at[name]
    if (typeof known === 'object' && known !== null && !Array.isArray(known)) {
      for (const [key, value] of Object.entries(known)) inside[key] = value
    }
    at[name] = inside
    at = inside
  }
  return at
}

function emptyTree(): Tree {
  return Object.create(null) as Tree
}
