import { compileRow } from './body-row.ts'
import { compileCondition } from './condition.ts'
import { isObject } from './path.ts'
import { itemScopes, outerVariables, type Scope, textOf } from './scope.ts'
import { parseTemplate, render } from './template.ts'

export interface CompiledBody {
  variables: string[]
  /** `undefined` = leave this part out; so does a list or object of which nothing is left. */
  fill(scope: Scope): unknown
  /** The values that it adds to its list, if that is not one value. */
  spread?(scope: Scope): unknown[]
}

export function compileBody(part: unknown): CompiledBody {
  if (typeof part === 'string') {
    const template = parseTemplate(part)
    return { variables: [...template.variables], fill: (scope) => render(template, textOf(scope)) }
  }
  if (Array.isArray(part)) {
    const items = part.map(compileBody)
    return {
      variables: items.flatMap(({ variables }) => variables),
      fill: (scope) => {
        const filled = items
          .flatMap((item) => (item.spread === undefined ? [item.fill(scope)] : item.spread(scope)))
          .filter((item) => item !== undefined)
        return filled.length === 0 && items.length > 0 ? undefined : filled
      },
    }
  }
  if (!isObject(part)) return { variables: [], fill: () => part }
  if (typeof part['$row'] === 'string') return compileRow(part['$row'], String(part['$of']))
  if (typeof part['$each'] === 'string' && part['$key'] === undefined) return compileEach(part['$each'], part['$item'])
  const {
    $value: value,
    $when: when,
    $spread: spread,
    $keep: keep,
    $each: each,
    $key: eachKey,
    $item: eachItem,
    ...rest
  } = part
  if (typeof value === 'string') return { variables: [value], fill: (scope) => scope(value) }
  const entries = Object.entries(rest).map(([key, item]) => ({ key: parseTemplate(key), item: compileBody(item) }))
  const keyed = compileKeyed(each, eachKey, eachItem)
  const condition = compileCondition(when)
  const named = [...condition.variables, ...(typeof spread === 'string' ? [spread] : []), ...keyed.variables]
  return {
    variables: [...entries.flatMap(({ key, item }) => [...key.variables, ...item.variables]), ...named],
    fill: (scope) => {
      if (!condition.holds(scope)) return undefined
      const text = textOf(scope)
      // A map, because a name may be `__proto__`; what is declared is put over what is spread.
      const filled = new Map<string, unknown>()
      const inside = typeof spread === 'string' ? scope(spread) : undefined
      if (isObject(inside)) for (const [key, item] of Object.entries(inside)) filled.set(key, item)
      for (const [key, item] of keyed.fill(scope)) filled.set(key, item)
      for (const { key, item } of entries) {
        const name = render(key, text)
        const itemValue = item.fill(scope)
        if (name !== undefined && itemValue !== undefined) filled.set(name, itemValue)
      }
      const isEmpty = filled.size === 0 && inside === undefined && keep !== true
      return isEmpty && (entries.length > 0 || each !== undefined) ? undefined : Object.fromEntries(filled)
    },
  }
}

/** One part for each item of a list; as an item of a list itself it is spread into it. */
function compileEach(each: string, declared: unknown): CompiledBody {
  const part = compileBody(declared)
  const spread = (scope: Scope) => itemScopes(scope, each).map((itemScope) => part.fill(itemScope))
  return {
    variables: [each, ...outerVariables(part.variables)],
    spread,
    fill(scope) {
      const filled = spread(scope).filter((item) => item !== undefined)
      return filled.length === 0 ? undefined : filled
    },
  }
}

/** The keys that an object has for the items of a list. */
function compileKeyed(each: unknown, declaredKey: unknown, declared: unknown) {
  if (typeof each !== 'string' || typeof declaredKey !== 'string') return { variables: [], fill: () => [] }
  const key = parseTemplate(declaredKey)
  const part = compileBody(declared)
  return {
    variables: [each, ...outerVariables([...key.variables, ...part.variables])],
    fill: (scope: Scope) =>
      itemScopes(scope, each).flatMap((itemScope): [string, unknown][] => {
        const name = render(key, textOf(itemScope))
        const value = part.fill(itemScope)
        return name === undefined || value === undefined ? [] : [[name, value]]
      }),
  }
}
