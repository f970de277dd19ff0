import { isObject } from '../interpreter/path.ts'
import type { Flaw } from './flaw.ts'

/** A file without the parts that its schema refuses, so that one check shows what is wrong with the others, too. */
export interface SoundParts {
  value: Record<string, unknown>
  /** Returns whether an object or template lacks a part here that it has in the file. */
  isPartial: (path: Flaw['path']) => boolean
  /** Returns a flaw of this value as one of the file; undefined if it follows from what is left out here. */
  inFile: (flaw: Flaw) => Flaw | undefined
}

/** Keys whose objects are checked one by one. */
const objectKeys = new Set(['objects', 'templates'])

/** Lists whose items are variables, by their names. */
const declaring = ['inputs', 'postAuthentication', 'variables']
const kinds = ['text', 'host', 'url']

/** Returns the file without the parts with flaws. `value` is a map. */
export function soundParts(value: object, flaws: readonly Flaw[]): SoundParts {
  const kept: Record<string, unknown> = { ...value }
  const partial = new Set<string>()
  const positions = new Map<string, number[]>()
  for (const { path } of flaws) {
    const unit = unitOf(path)
    const [first = '', ...inside] = unit
    const key = String(first)
    if (inside.length === 0) delete kept[key]
    else if (typeof inside[0] === 'number' || Array.isArray((value as Record<string, unknown>)[key])) {
      const all = positions.get(key) ?? (kept[key] as unknown[]).map((_, index) => index)
      positions.set(
        key,
        all.filter((index) => index !== Number(inside[0])),
      )
    } else {
      kept[key] = without(kept[key], inside)
      partial.add(unit.slice(0, -1).join('\n'))
    }
  }
  for (const [key, left] of positions) {
    const all = listOf(kept[key])
    if (left.length > 0) kept[key] = left.map((index) => all[index])
    else delete kept[key]
  }
  const variablesMax = listOf(kept['variables']).length
  const left = new Set(flaws.flatMap(({ path }) => wholeKeyOf(unitOf(path)) ?? []))
  const gone = new Set(flaws.flatMap(({ path }) => nameOf(unitOf(path)) ?? []))
  const { names, isComplete } = declaredIn(value, flaws)
  if (names.length > 0) kept['variables'] = [...listOf(kept['variables']), ...names]
  return {
    value: kept,
    isPartial: (path) => partial.has(path.join('\n')),
    inFile: ({ path, message, ...rest }) => {
      const [key, at, ...inside] = path
      if (key === undefined && [...left].some((one) => message.includes(`"${one}"`))) return undefined
      if (!isComplete && /^(?:uses the variable|starts with the input) /.test(message)) return undefined
      if (left.has('authentication') && message.startsWith('needs an authentication method ')) return undefined
      if (/^is not (?:a template|an object) of this file /.test(message))
        if (left.has('templates') || [...gone].some((name) => message.includes(`("${name}")`))) return undefined
      if (key === 'variables' && Number(at) >= variablesMax) return undefined
      const order = positions.get(String(key))
      return order === undefined || typeof at !== 'number'
        ? { path, message, ...rest }
        : { path: [key ?? '', order[at] ?? at, ...inside], message, ...rest }
    },
  }
}

/** Returns the key of the file that a part is or belongs to; undefined for parts of templates and objects. */
function wholeKeyOf([key = '', ...inside]: Flaw['path']): string | undefined {
  return objectKeys.has(String(key)) && inside.length > 0 ? undefined : String(key)
}

/** Returns the name of a template or an object that is left out as a whole. */
function nameOf(unit: Flaw['path']): string | undefined {
  const parts = unit[0] === 'modules' ? unit.slice(2) : unit
  return parts.length === 2 && objectKeys.has(String(parts[0])) ? String(parts[1]) : undefined
}

/** Returns the variables that refused parts declare, and whether these are all. */
function declaredIn(value: object, flaws: readonly Flaw[]): { names: object[]; isComplete: boolean } {
  const names: object[] = []
  let isComplete = true
  for (const unit of new Set(flaws.map(({ path }) => unitOf(path).join('\n')))) {
    const [key = '', at] = unit.split('\n')
    const part: unknown = (value as Record<string, unknown>)[key]
    const item = at === undefined ? part : listOf(part)[Number(at)]
    if (declaring.includes(key)) {
      const name = isObject(item) ? item['name'] : undefined
      if (typeof name === 'string' && isObject(item))
        names.push({ name, kind: kinds.find((kind) => kind === item['kind']) ?? (item['kind'] ? 'url' : 'text') })
      else isComplete = false
    } else if (key === 'authentication' && (at === undefined || mentions(item))) isComplete = false
  }
  return { names, isComplete }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Tells a scheme that declares variables. */
function mentions(scheme: unknown): boolean {
  return isObject(scheme) && ('tokenMetadataFields' in scheme || 'redirectFields' in scheme)
}

/** Returns the path of the smallest part that the rest of a file can do without. */
function unitOf(path: Flaw['path']): Flaw['path'] {
  const [key = '', second, third, fourth] = path
  if (objectKeys.has(String(key))) return path.slice(0, 3)
  if (key === 'modules' && objectKeys.has(String(third)) && fourth !== undefined) return path.slice(0, 5)
  if (key === 'modules') return path.slice(0, 2)
  const isItem = second !== undefined && /^\d+$/.test(String(second))
  return isItem ? path.slice(0, 2) : path.slice(0, 1)
}

/** Returns a copy without what a path leads to. */
function without(value: unknown, [key = '', ...inside]: Flaw['path']): unknown {
  if (!isObject(value)) return value
  const copy: Record<string, unknown> = { ...value }
  if (inside.length === 0) delete copy[key]
  else if (key in copy) copy[key] = without(copy[key], inside)
  return copy
}
