/**
 * Reads a value out of parsed JSON by a path of a provider file: `paging.next.after`, or bracket form
 * `$['a.b']['c']` (RFC 9535 names) where a name holds a dot. Own properties only; `''` is the whole value.
 */
export type PathReader = (value: unknown) => unknown

const bracketName = /\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/y

/** The names of a path, or `undefined` when it is none. */
export function pathNames(path: string): string[] | undefined {
  if (path === '') return []
  if (!path.startsWith('$[')) {
    const names = path.split('.')
    return names.includes('') ? undefined : names
  }
  const names: string[] = []
  bracketName.lastIndex = 1
  while (bracketName.lastIndex < path.length) {
    const found = bracketName.exec(path)
    if (found === null) return undefined
    names.push((found[1] ?? found[2] ?? '').replace(/\\(.)/g, '$1'))
  }
  return names
}

/** Bracket form of a list of names, as field names of nested values are written. */
export function bracketPath(names: readonly string[]): string {
  return `$${names.map((name) => `['${name.replace(/[\\']/g, '\\$&')}']`).join('')}`
}

/** @throws RangeError for a text that is not a path; provider files are linted before. */
export function compilePath(path: string): PathReader {
  const names = pathNames(path)
  if (names === undefined) throw new RangeError(`"${path}" is not a path.`)
  const [only] = names
  if (only === undefined) return (value) => value
  if (names.length === 1) return (value) => own(value, only)
  return (value) => {
    let at = value
    for (const name of names) at = own(at, name)
    return at
  }
}

/** The first of several paths that leads to something other than null. */
export function compilePaths(paths: string | readonly string[]): PathReader {
  if (typeof paths === 'string') return compilePath(paths)
  const readers = paths.map(compilePath)
  return (value) => {
    for (const read of readers) {
      const found = read(value)
      if (found !== undefined && found !== null) return found
    }
    return undefined
  }
}

/** The own property of an object or list, else `undefined`. */
export function own(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Text of a JSON scalar; `undefined` for null, lists, objects and what is absent. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
