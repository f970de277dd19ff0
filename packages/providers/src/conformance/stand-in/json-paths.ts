import { compilePattern } from '../../interpreter/pattern.ts'

/**
 * Paths of provider files and conditions on what they lead to, written for the stand-in alone: a fault of the
 * interpreter must not be repeated by what tests it.
 */
export type Json = Record<string, unknown>

/** Names of a path such as `data.items` or `$['a.b']['c']`. */
export function namesOf(path: string): string[] {
  if (path === '') return []
  if (!path.startsWith('$[')) return path.split('.')
  return path
    .slice(3, -2)
    .split(/'\]\['|"\]\["/)
    .map((name) => name.replaceAll(/\\(.)/g, '$1'))
}

/** The value at a path. */
export function valueAt(json: unknown, path: string): unknown {
  let at = json
  for (const name of namesOf(path)) at = isJson(at) && Object.hasOwn(at, name) ? at[name] : undefined
  return at
}

/** Returns the JSON with a value at a path. Names that are numbers make lists. */
export function withValue(json: unknown, path: string, value: unknown): unknown {
  return setAt(json, namesOf(path), value)
}

function setAt(json: unknown, [name, ...rest]: string[], value: unknown): unknown {
  if (name === undefined) return value
  const isIndex = /^\d{1,3}$/.test(name)
  const copy = Array.isArray(json) ? [...(json as unknown[])] : isJson(json) ? { ...json } : isIndex ? [] : {}
  const inner: Json = copy as Json
  inner[name] = setAt(inner[name], rest, value)
  return copy
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}

/** Whether a value meets a condition of a provider file. */
export function fits(json: unknown, when: Json): boolean {
  return Object.entries(when).every(([path, wanted]) => fitsOne(valueAt(json, path), wanted))
}

function fitsOne(found: unknown, wanted: unknown): boolean {
  const some: unknown[] = Array.isArray(found) ? found : [found]
  if (Array.isArray(wanted)) return some.some((one) => wanted.includes(one))
  if (!isJson(wanted)) return some.includes(wanted)
  if ('present' in wanted) {
    const isEmpty = found === undefined || found === null || found === '' || (Array.isArray(found) && !found.length)
    return isEmpty !== wanted['present']
  }
  if ('matches' in wanted)
    return some.some((one) => typeof one === 'string' && compilePattern(String(wanted['matches'])).test(one))
  return Array.isArray(found) && found.some((one) => fits(one, wanted['some'] as Json))
}

/** Returns the JSON, changed as little as possible so that it meets a condition. */
export function fitted(json: unknown, when: Json | undefined): unknown {
  let made = json
  for (const [path, wanted] of Object.entries(when ?? {}))
    if (!fitsOne(valueAt(made, path), wanted)) made = withValue(made, path, exampleOf(wanted))
  return made
}

/** Returns the JSON, changed so that it does not meet a condition. */
export function unfitted(json: unknown, when: Json | undefined): unknown {
  const [first] = Object.entries(when ?? {})
  if (when === undefined || first === undefined || !fits(json, when)) return json
  const [path, wanted] = first
  const isAbsence = isJson(wanted) && wanted['present'] === false
  return withValue(json, path, isAbsence ? 'present' : undefined)
}

function exampleOf(wanted: unknown): unknown {
  if (Array.isArray(wanted)) return wanted[0]
  if (!isJson(wanted)) return wanted
  if ('present' in wanted) return wanted['present'] === true ? 'present' : undefined
  if ('matches' in wanted) return textFor(String(wanted['matches']))
  return [fitted({}, wanted['some'] as Json)]
}

/** A text for a plain pattern: its first alternative without anchors and escapes; a digit for digits. */
export function textFor(pattern: string): string {
  const [first = ''] = pattern
    .replace('(?i)', '')
    .replaceAll(/\\d\+?/g, '1')
    .replaceAll(/[\^$()]/g, '')
    .split('|')
  return first.replaceAll(/\\([^a-z])/gi, '$1')
}
