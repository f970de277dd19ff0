/** Where a value stands: its path in the document and its position in the text (both counted from 1, 0 unknown). */
export interface SourceLocation {
  path: string
  line: number
  column: number
}

export interface LocatedScalar {
  kind: 'scalar'
  place: SourceLocation
  value: string | number | boolean | null
}

export interface LocatedList {
  kind: 'list'
  place: SourceLocation
  items: Located[]
}

export interface LocatedMap {
  kind: 'map'
  place: SourceLocation
  entries: Entry[]
}

/** A value of the document. A collection under a key is placed at its key, everything else at itself. */
export type Located = LocatedScalar | LocatedList | LocatedMap

export interface Entry {
  key: string
  keyLocation: SourceLocation
  value: Located
}

/** Returns the path of a key below `parent`; puts a key in quotes unless it is a plain word. */
export function childPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`
  return /^[A-Za-z_][A-Za-z0-9_-]{0,99}$/.test(key) ? `${parent}.${key}` : `${parent}[${quote(key)}]`
}

/** Text for messages: in quotes, one line, at most 80 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79).toWellFormed()}…` : text)
}
