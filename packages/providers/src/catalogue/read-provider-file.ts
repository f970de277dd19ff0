import { basename } from 'node:path'
import { CORE_SCHEMA, load } from 'js-yaml'
import { type Document, isCollection, isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { isObject } from '../interpreter/path.ts'
import { buildProviderFile } from './build-provider-file.ts'
import type { CatalogueFault } from './entry.ts'
import { checkObject, checkOutline } from './file-checks.ts'
import type { Flaw } from './flaw.ts'
import type { ProviderFile, ProviderFileOutline, ProviderObject } from './format/provider-file.ts'
import { declaredVariables, lintFile } from './lint-file.ts'
import { lintObject } from './lint-object.ts'
import { lintObjectScopes } from './lint-scopes.ts'
import { lintSlashes } from './lint-slashes.ts'
import { lintChangedObjects, lintWebhookObjects } from './lint-webhook-objects.ts'

/** Returns what is checked as a whole. */
type Complete = (written: ProviderFileOutline) => ProviderFileOutline

type CheckedValue =
  | { outline: ProviderFileOutline; file: ProviderFile; flaws?: undefined }
  | { file?: undefined; flaws: Flaw[] }

export type ReadResult =
  | { outline: ProviderFileOutline; file: ProviderFile; faults?: undefined }
  | { outline?: undefined; faults: CatalogueFault[] }

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Deeper than any file has reason to be, and far from what exhausts a stack. */
const depthMax = 100
/** More lines, lists, maps and commas than any file has reason to hold; as many take a parser about half a second. */
const partsMax = 40_000
const faultsMax = 100

/**
 * Parses and checks one provider file: YAML, schema, meaning. Returns all faults together, each with its line and
 * column.
 *
 * @param complete returns what is checked as a whole: a user's file merged over the built-in one of its name
 */
export function readProviderFile(path: string, text: string, complete: Complete = (written) => written): ReadResult {
  const lines = new LineCounter()
  const limit = overLimit(text)
  if (limit !== undefined) return { faults: [{ file: path, path: '', ...limit }] }
  const document = parseDocument(text, {
    lineCounter: lines,
    // Compares each key with each other one: minutes for what a hostile file can hold. `plainValue` finds them.
    uniqueKeys: false,
    stringKeys: true,
    schema: 'core',
    prettyErrors: false,
  })
  const fault = (offset: number, at: string, message: string): CatalogueFault => {
    const { line, col } = lines.linePos(offset)
    return { file: path, line, column: col, path: at, message }
  }
  const syntax = [...document.errors, ...document.warnings]
  if (syntax.length > 0)
    return { faults: syntax.slice(0, faultsMax).map(({ pos, message }) => fault(pos[0], '', message)) }

  const { twice, hasAlias, value: plain } = plainValue(document.contents)
  if (twice.length > 0)
    return { faults: twice.slice(0, faultsMax).map((offset) => fault(offset, '', 'Map keys must be unique')) }

  let value = plain
  try {
    if (hasAlias) value = document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    return { faults: [fault(0, '', error instanceof Error ? error.message : 'cannot be read')] }
  }
  const checked = checkValue(path, value, complete)
  if (checked.flaws === undefined) return checked
  const { flaws } = checked
  return { faults: dedupe(flaws.slice(0, faultsMax).map((flaw) => locate(document, flaw, fault))) }
}

/**
 * Reads a file of this package like `readProviderFile`, but parses it in a sixth of the time, without positions. A file
 * with a fault is read again with them. Tests compare both parsers for each file of this package.
 */
export function readBuiltInFile(path: string, text: string, complete: Complete = (written) => written): ReadResult {
  const value = overLimit(text) === undefined ? parseQuickly(text) : undefined
  const checked = value === undefined ? undefined : checkValue(path, value, complete)
  return checked?.file === undefined ? readProviderFile(path, text, complete) : checked
}

/** Returns the value of a YAML text; `undefined` if it is not valid. */
function parseQuickly(text: string): unknown {
  try {
    return load(text, { schema: CORE_SCHEMA })
  } catch {
    return undefined
  }
}

/** Checks the meaning of a parsed file. */
function checkValue(path: string, value: unknown, complete: Complete): CheckedValue {
  const keys = flawsOfKeys(value)
  if (keys.length > 0) return { flaws: keys }
  const shape = checkOutline(value)
  if (shape.some(({ isUnknownKey }) => isUnknownKey !== true)) {
    return { flaws: [...shape, ...flawsOfObjects(value, shape)] }
  }

  const written = value as ProviderFileOutline
  const outline = complete(written)
  const flaws = [...shape, ...lintFile(outline)]
  // Webhooks of the built-in file refer to built-in objects, which the user's file may leave out.
  if (written.webhooks !== undefined) flaws.push(...lintWebhookObjects(written.webhooks, outline))
  for (const [id, { webhooks }] of Object.entries(written.modules ?? {}))
    if (webhooks !== undefined) {
      const found = lintWebhookObjects(webhooks, { ...outline, modules: { [id]: outline.modules?.[id] ?? {} } })
      flaws.push(...found.map((flaw) => ({ ...flaw, path: ['modules', id, ...flaw.path] })))
    }
  if (basename(path).replace(/\.ya?ml$/, '') !== outline.name) {
    flaws.push({ path: ['name'], message: `must be the name of the file (${outline.name}.yaml)` })
  }
  const inputs = declaredVariables(outline)
  const { file, flaws: objectFlaws } = buildProviderFile(outline, path, (object, name, variables) => {
    const found = checkObject(object)
    if (found.some(({ isUnknownKey }) => isUnknownKey !== true)) return found
    const known = object as ProviderObject
    const scopes = written.objectsOf === undefined ? lintObjectScopes(known, outline) : []
    return [...found, ...lintObject(known, inputs, variables), ...lintSlashes(known, name), ...scopes]
  })
  flaws.push(...objectFlaws)
  if (objectFlaws.length === 0) flaws.push(...lintChangedObjects(file))
  return flaws.length > 0 ? { flaws } : { outline, file }
}

/**
 * Flaws of the objects of a file whose other parts have flaws too, so that one check shows all; none where objects
 * cannot be resolved.
 */
function flawsOfObjects(value: unknown, flaws: readonly Flaw[]): Flaw[] {
  const parts = ['templates', 'modules', 'objects', 'otherObjects']
  if (!isObject(value) || flaws.some(({ path: [key] }) => key === undefined || parts.includes(String(key)))) return []
  return buildProviderFile(value as ProviderFileOutline, '', checkObject).flaws
}

/**
 * Where a file begins to be more than a parser should be given: nested too deeply, or too many parts. Texts count too:
 * none has reason to hold so many brackets.
 */
function overLimit(text: string): { line: number; column: number; message: string } | undefined {
  let depth = 0
  let parts = 0
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    const indent = /^[ ?-]*/.exec(line)?.[0].length ?? 0
    for (let at = indent; at < line.length && depth <= depthMax; at++) {
      const sign = line[at]
      if (sign === '[' || sign === '{') {
        depth++
        parts++
      } else if ((sign === ']' || sign === '}') && depth > 0) depth--
      else if (sign === ',') parts++
    }
    const position = { line: index + 1, column: 1 }
    if (depth > depthMax || indent > 2 * depthMax) {
      return { ...position, message: `The file is nested deeper than ${depthMax} levels.` }
    }
    if (++parts > partsMax)
      return { ...position, message: `The file has more than ${partsMax} lines, lists, maps and commas.` }
  }
  return undefined
}

interface PlainValue {
  value: unknown
  /** Positions of keys that are twice in their map. */
  twice: number[]
  /** Whether the value is not complete, because the file has aliases. */
  hasAlias: boolean
}

/**
 * Returns the value of a document whose keys are texts, and the keys that are twice in their map. One walk takes a
 * third of the time of `visit` and `toJS`, which resolve aliases and know more types.
 */
function plainValue(contents: unknown): PlainValue {
  const result: PlainValue = { value: undefined, twice: [], hasAlias: false }
  const plainOf = (node: unknown): unknown => {
    if (isScalar(node)) return node.value
    if (isSeq(node)) return node.items.map(plainOf)
    if (!isMap(node)) {
      if (node !== null) result.hasAlias = true
      return null
    }
    const made: Record<string, unknown> = {}
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : ''
      if (Object.hasOwn(made, name)) result.twice.push(isNode(key) ? (key.range?.[0] ?? 0) : 0)
      // An assignment of `__proto__` sets no key.
      if (name in made) Object.defineProperty(made, name, { ...ownKey, value: plainOf(value) })
      else made[name] = plainOf(value)
    }
    return made
  }
  result.value = plainOf(contents)
  return result
}

const ownKey = { writable: true, enumerable: true, configurable: true }

/** Keys that would mean something to JavaScript, and values that an alias puts into themselves. */
function flawsOfKeys(value: unknown, at: (string | number)[] = [], around: readonly object[] = []): Flaw[] {
  if (typeof value !== 'object' || value === null) return []
  if (around.includes(value)) return [{ path: at, message: 'holds itself' }]
  const inside = [...around, value]
  if (Array.isArray(value)) return value.flatMap((item, index) => flawsOfKeys(item, [...at, index], inside))
  return Object.entries(value).flatMap(([key, item]) => {
    const path = [...at, key]
    return forbiddenKeys.has(key) ? [{ path, message: 'cannot be a key' }] : flawsOfKeys(item, path, inside)
  })
}

/** The position of the key that a path ends in; of the nearest parent that exists, where it does not. */
function locate(
  document: Document,
  { path, message }: Flaw,
  fault: (offset: number, at: string, message: string) => CatalogueFault,
): CatalogueFault {
  let node: unknown = document.contents
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0
  for (const key of path) {
    if (!isCollection(node)) break
    const pair = node.items.find((item, index) =>
      isPair(item) ? isScalar(item.key) && String(item.key.value) === String(key) : index === Number(key),
    )
    if (pair === undefined) break
    const position: unknown = isPair(pair) ? pair.key : pair
    if (isNode(position)) offset = position.range?.[0] ?? offset
    node = isPair(pair) ? pair.value : pair
  }
  const at = path.join('.')
  const sentence = `${at === '' ? 'The file' : at} ${message}`
  return fault(offset, at, /[.?]$/.test(sentence) ? sentence : `${sentence}.`)
}

function dedupe(faults: CatalogueFault[]): CatalogueFault[] {
  const seen = new Set<string>()
  return faults
    .filter(({ line, column, message }) => {
      const key = `${line}:${column}:${message}`
      return !seen.has(key) && seen.add(key)
    })
    .sort((a, b) => a.line - b.line || a.column - b.column)
}
