import { isJson, type Json } from './json-values.ts'

/** Levels of a recorded response that are described, and items of a list. */
const levelsMax = 7
const itemsMax = 30
const propertiesMax = 300

/**
 * Describes recorded values by a schema: types and names of properties only, no value. Names that look like values, as
 * in an object of users by their id, are left out.
 *
 * @param isHidden whether a name must not be in the schema
 */
export function inferSchema(
  values: readonly unknown[],
  isHidden: (name: string) => boolean = isValue,
  level = 0,
): Json {
  const known = values.filter((value) => value !== null && value !== undefined)
  const lists = known.filter((value) => Array.isArray(value))
  if (lists.length > 0) {
    const items = lists.flatMap((list) => list.slice(0, itemsMax)).slice(0, itemsMax * 5)
    return { type: 'array', items: level >= levelsMax ? {} : inferSchema(items, isHidden, level + 1) }
  }
  const objects = known.filter(isJson)
  if (objects.length > 0) return objectSchema(objects, isHidden, level)
  return scalarSchema(known)
}

function objectSchema(objects: readonly Json[], isHidden: (name: string) => boolean, level: number): Json {
  if (level >= levelsMax) return { type: 'object' }
  const byName = new Map<string, unknown[]>()
  for (const object of objects) {
    for (const [name, value] of Object.entries(object).slice(0, propertiesMax)) {
      if (!/^[A-Za-z_@$][\w.$@-]{0,60}$/.test(name) || name === '__proto__' || isHidden(name)) continue
      const values = byName.get(name)
      if (values !== undefined) values.push(value)
      else if (byName.size < propertiesMax) byName.set(name, [value])
    }
  }
  const properties = [...byName].map(([name, values]) => [name, inferSchema(values, isHidden, level + 1)] as const)
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function scalarSchema(values: readonly unknown[]): Json {
  if (values.length === 0) return {}
  if (values.every((value) => typeof value === 'boolean')) return { type: 'boolean' }
  if (values.every((value) => typeof value === 'number')) {
    return { type: values.every(Number.isInteger) ? 'integer' : 'number' }
  }
  const texts = values.filter((value) => typeof value === 'string')
  if (texts.length < values.length) return {}
  const all = (pattern: RegExp) => texts.every((text) => pattern.test(text.slice(0, 200)))
  if (all(/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/)) {
    return { type: 'string', format: 'date-time' }
  }
  if (all(/^\d{4}-\d\d-\d\d$/)) return { type: 'string', format: 'date' }
  if (all(/^https?:\/\//)) return { type: 'string', format: 'uri' }
  return { type: 'string' }
}

/** Whether a part of a path, or a name, is an id or a token: numbers, UUIDs, addresses, long words with digits. */
export function isValue(part: string): boolean {
  if (/^\d+$/.test(part) || /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(part)) return true
  if (/[@%]/.test(part.slice(1)) && part.includes('@')) return true
  if (/^[0-9a-f]{12,}$/i.test(part)) return true
  const digits = part.replace(/\D/g, '').length
  // `cus_9s6XKzkNRiz8i3`, and ids without a word that a person would read.
  if (/^[a-z]{1,6}_[A-Za-z0-9]{8,}$/.test(part) && /\d|[a-z][A-Z]/.test(part.slice(part.indexOf('_')))) return true
  if (part.length >= 10 && digits >= 2 && !/^[a-z]+([_-][a-z]+)*[_-]?v?\d{1,2}$/i.test(part)) return true
  return part.length >= 24 && !/[_.-]/.test(part)
}
