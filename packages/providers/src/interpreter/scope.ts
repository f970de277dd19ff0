import { own, scalarText } from './path.ts'
import { filters } from './quoting.ts'
import type { Variables } from './template.ts'

/** Values of variables, with their types. `record.id` reads `id` of the value `record`. */
export type Scope = (name: string) => unknown

/** The variables of an object and the values of a record, in one scope. Names with dots go into the value. */
export function scopeOf(values: Record<string, unknown>, outer?: Scope): Scope {
  return (name) => {
    const dot = name.indexOf('.')
    const head = dot < 0 ? name : name.slice(0, dot)
    if (!Object.hasOwn(values, head)) return outer?.(name)
    let value = values[head]
    if (dot >= 0) for (const key of name.slice(dot + 1).split('.')) value = own(value, key)
    return value
  }
}

/**
 * A variable as text: lists joined by commas, nothing for null and objects. A filter is applied to each value of a
 * list.
 */
export function textOf(scope: Scope): Variables {
  return (name, filter) => {
    const value = scope(name)
    const write = filter === undefined ? scalarText : filters[filter]
    if (!Array.isArray(value)) return write(value)
    return value.length === 0 ? undefined : value.map((item) => write(item) ?? '').join(',')
  }
}

/** A scope for each item of a list, the item under the name `item`. */
export function itemScopes(scope: Scope, list: string): Scope[] {
  const items = scope(list)
  return Array.isArray(items) ? items.map((item: unknown) => scopeOf({ item }, scope)) : []
}

/** What a part that is filled for each item needs from outside. */
export function outerVariables(names: readonly string[]): string[] {
  return names.filter((name) => name !== 'item' && !name.startsWith('item.'))
}
