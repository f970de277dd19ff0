import { parseBracketPath } from '@mortise/manifest'

/** A field's place in a record: of one name, or in bracket form (`$['a']['b']`). */
export function pathOf(field: string): string[] {
  return parseBracketPath(field) ?? [field]
}

export function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value
  for (const key of path) {
    if (!isRecord(current) || !Object.hasOwn(current, key)) return undefined
    current = current[key]
  }
  return current
}

/** Puts a value in its place, making what lies between. What is there already and holds nothing makes way. */
export function setAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let current = target
  for (const key of path.slice(0, -1)) {
    const inner = Object.hasOwn(current, key) ? current[key] : undefined
    if (!isRecord(inner)) define(current, key, {})
    current = current[key] as Record<string, unknown>
  }
  define(current, path.at(-1) ?? '', value)
}

/** Takes a value out of its place, with what is empty then; undefined when there is none. */
export function take(record: Record<string, unknown>, path: readonly string[]): unknown {
  const [key, ...rest] = path
  if (key === undefined || !Object.hasOwn(record, key)) return undefined
  const found = record[key]
  if (rest.length === 0) {
    delete record[key]
    return found
  }
  if (!isRecord(found)) return undefined
  const value = take(found, rest)
  if (value !== undefined && Object.keys(found).length === 0) delete record[key]
  return value
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A plain assignment would reach the prototype for a field named `__proto__`. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}
