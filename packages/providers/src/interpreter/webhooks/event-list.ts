import type { EventParts } from '../../catalogue/format/webhooks.ts'
import { compilePath, isObject, pathNames, scalarText } from '../path.ts'

/** An event of a payload, and the items that contain it, the innermost first. */
export interface ListedEvent {
  raw: unknown
  outer: readonly unknown[]
}

/** Compiles what finds the events of a payload: in its list, in lists of lists, or the payload itself. */
export function compileEventList({ list = '', textsAs, split = [] }: EventParts): (payload: unknown) => ListedEvent[] {
  const lists = [list].flat().map((path) => compilePath(path))
  const named = (item: unknown) => {
    const text = textsAs === undefined ? undefined : scalarText(item)
    return textsAs === undefined || text === undefined ? item : { [textsAs]: text }
  }
  const splitItem = compileSplit(split)
  return (payload) => {
    let found: ListedEvent[] = [{ raw: payload, outer: [] }]
    for (const [depth, read] of lists.entries()) {
      found = found.flatMap(({ raw, outer }) => {
        const inner = read(raw)
        const items: unknown[] = Array.isArray(inner) ? inner : [inner]
        const around = depth === 0 ? [] : [raw, ...outer]
        return items.map((item) => ({ raw: named(item), outer: around }))
      })
    }
    return found.flatMap(({ raw, outer }) => splitItem(raw).map((part) => ({ raw: part, outer })))
  }
}

/** Compiles what makes one event of each item of the lists in an event. */
function compileSplit(paths: readonly string[]): (event: unknown) => unknown[] {
  if (paths.length === 0) return (event) => [event]
  const lists = paths.map((path) => ({ names: pathNames(path) ?? [], read: compilePath(path) }))
  return (event) => {
    const filled = lists.filter(({ read }) => {
      const items = read(event)
      return Array.isArray(items) && items.length > 0
    })
    if (filled.length === 0) return [event]
    return filled.flatMap(({ names, read }) => {
      const alone = filled
        .filter((other) => other.names !== names)
        .reduce((rest, other) => without(rest, other.names), event)
      return (read(event) as unknown[]).map((item) => withValue(alone, names, [item]))
    })
  }
}

/** Returns a copy of an object with another value at a path, which exists. */
function withValue(value: unknown, [name, ...rest]: readonly string[], put: unknown): unknown {
  if (name === undefined) return put
  return isObject(value) ? { ...value, [name]: withValue(value[name], rest, put) } : value
}

/** Returns a copy of an object without the value at a path. */
function without(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (!isObject(value)) return value
  if (rest.length > 0) return { ...value, [name]: without(value[name], rest) }
  const { [name]: _, ...others } = value
  return others
}
