import type { Located, SourceLocation } from './located.ts'

/** Returns a value without its places. Keys such as `__proto__` are none: they were refused before. */
export function plainValue(located: Located): unknown {
  if (located.kind === 'scalar') return located.value
  if (located.kind === 'list') return located.items.map(plainValue)
  return Object.fromEntries(located.entries.map(({ key, value }) => [key, plainValue(value)]))
}

/** Returns the place of a value in another one; that of the last value on the way, where the path leads to none. */
export function placeIn(located: Located, path: readonly (string | number)[]): SourceLocation {
  let at = located
  let place = located.place
  for (const step of path) {
    if (at.kind === 'map') {
      const entry = at.entries.find(({ key }) => key === step) ?? at.entries.find(({ key }) => isAlike(key, step))
      if (entry === undefined) break
      at = entry.value
      place = at.kind === 'scalar' ? at.place : entry.keyLocation
    } else if (at.kind === 'list') {
      const item = at.items[Number(step)]
      if (item === undefined) break
      at = item
      place = item.place
    }
  }
  return place
}

/** Keys of the format are found whatever their upper and lower case. */
function isAlike(key: string, step: string | number): boolean {
  return key.toLowerCase() === String(step).toLowerCase()
}
