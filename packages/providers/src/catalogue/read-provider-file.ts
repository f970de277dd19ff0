import { basename } from 'node:path'
import { CORE_SCHEMA, load } from 'js-yaml'
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml'
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
import { lintChangedObjects, lintEventIds, lintVariants, lintWebhookObjects } from './lint-webhook-objects.ts'
import { lintSoundObject } from './sound-object.ts'
import { soundParts } from './sound-parts.ts'

/** Returns what is checked as a whole. */
type Complete = (written: ProviderFileOutline) => ProviderFileOutline

type CheckedValue =
  | { outline: ProviderFileOutline; file: ProviderFile; flaws?: undefined }
  | { file?: undefined; flaws: Flaw[] }

export type ReadResult =
  | { outline: ProviderFileOutline; file: ProviderFile; faults?: undefined }
  | { outline?: undefined; faults: CatalogueFault[] }

const holdsItself = 'holds itself'
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
    return {
      faults: syntax.slice(0, faultsMax).map(({ code, pos, message }) => fault(pos[0], '', syntaxFault(code, message))),
    }

  const { twice, hasAlias, value: plain } = plainValue(document.contents)
  const again = twice
    .slice(0, faultsMax)
    .map(({ key, first, offset }) =>
      fault(offset, '', `The key "${key}" is already in line ${lines.linePos(first).line}. Remove one of them.`),
    )

  let value = plain
  if (hasAlias) {
    const lost = lostAliases(document)
    if (lost.length > 0)
      return {
        faults: lost.map(({ source, offset }) => fault(offset, '', `No earlier value has the anchor &${source}.`)),
      }
    try {
      value = document.toJS({ maxAliasCount: 100 })
    } catch (error) {
      return { faults: [fault(0, '', error instanceof Error ? error.message : 'cannot be read')] }
    }
  }
  const checked = checkValue(path, value, complete)
  if (checked.flaws === undefined && again.length === 0) return checked
  const found = (checked.flaws ?? []).slice(0, faultsMax).map((flaw) => locate(document, flaw, fault))
  return { faults: dedupe([...again, ...found]) }
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

/** Checks a parsed file. Parts that its schema refuses do not hide what is wrong with the others. */
function checkValue(path: string, value: unknown, complete: Complete): CheckedValue {
  const keys = flawsOfKeys(value)
  if (!isObject(value) || keys.some(({ message }) => message === holdsItself))
    return { flaws: keys.length > 0 ? keys : checkOutline(value) }
  const shape = keys.length > 0 ? [] : checkOutline(value)
  const refused = [...keys, ...shape.filter(({ isUnknownKey }) => isUnknownKey !== true)]
  if (refused.length === 0) {
    const checked = checkMeaning(path, value, complete)
    const flaws = [...shape, ...(checked.flaws ?? [])]
    return flaws.length > 0 ? { flaws } : checked
  }
  const sound = soundParts(value, refused)
  const rest = { name: nameIn(path), ...sound.value }
  const others = checkOutline(rest)
  const isRefused = others.some(({ isUnknownKey }) => isUnknownKey !== true)
  const further = isRefused ? others : [...(checkMeaning(path, rest, complete, sound.isPartial).flaws ?? [])]
  if ('webhooks' in value && !('webhooks' in sound.value)) further.push(...lintEventObjects(value['webhooks'], rest))
  return { flaws: [...keys, ...shape, ...further.flatMap((flaw) => sound.inFile(flaw) ?? [])] }
}

/** Compares the objects of webhooks whose other parts are wrong with those of the file. */
function lintEventObjects(webhooks: unknown, file: object): Flaw[] {
  const objects: unknown = isObject(webhooks) ? webhooks['objects'] : undefined
  if (!isObject(objects)) return []
  const names = Object.fromEntries(Object.entries(objects).map(([name, one]) => [name, isObject(one) ? one : {}]))
  return lintWebhookObjects({ objects: names }, file as ProviderFileOutline)
}

/** Returns the name that the file at a path has to have. */
function nameIn(path: string): string {
  return basename(path).replace(/\.ya?ml$/, '')
}

/**
 * Checks the meaning of a file that its schema accepts.
 *
 * @param isPartial whether an object or template lacks parts that were left out, so that only its schema is checked
 */
function checkMeaning(
  path: string,
  value: object,
  complete: Complete,
  isPartial: (path: Flaw['path']) => boolean = () => false,
): CheckedValue {
  const written = value as ProviderFileOutline
  const outline = complete(written)
  const flaws = lintFile(outline)
  // Webhooks of the built-in file refer to built-in objects, which the user's file may leave out.
  if (written.webhooks !== undefined) flaws.push(...lintWebhookObjects(written.webhooks, outline))
  for (const [id, { webhooks }] of Object.entries(written.modules ?? {}))
    if (webhooks !== undefined) {
      const found = lintWebhookObjects(webhooks, { ...outline, modules: { [id]: outline.modules?.[id] ?? {} } })
      flaws.push(...found.map((flaw) => ({ ...flaw, path: ['modules', id, ...flaw.path] })))
    }
  const fileName = nameIn(path)
  if (fileName !== outline.name)
    flaws.push({
      path: ['name'],
      message: `is not the name of the file: write "${fileName}" here, or rename the file to ${outline.name}.yaml`,
    })
  const inputs = declaredVariables(outline)
  const { file, flaws: objectFlaws } = buildProviderFile(outline, path, (object, name, origins, variables) => {
    const found = checkObject(object)
    // What is left out may be what another part needs.
    if (origins.some(isPartial)) return found.filter(({ message }) => !message.startsWith('needs '))
    const scopes = (known: ProviderObject) => (written.objectsOf === undefined ? lintObjectScopes(known, outline) : [])
    return [
      ...found,
      ...lintSoundObject(object, found, (known) => [
        ...lintObject(known, inputs, variables),
        ...lintSlashes(known, name),
        ...scopes(known),
      ]),
    ]
  })
  flaws.push(...objectFlaws)
  if (objectFlaws.length === 0) flaws.push(...lintChangedObjects(file), ...lintEventIds(file), ...lintVariants(file))
  return flaws.length > 0 ? { flaws } : { outline, file }
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
  /** Keys that are twice in their map, with the position of each. */
  twice: { key: string; first: number; offset: number }[]
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
    const offsets = new Map<string, number>()
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : ''
      const offset = isNode(key) ? (key.range?.[0] ?? 0) : 0
      const first = offsets.get(name)
      if (first === undefined) offsets.set(name, offset)
      else result.twice.push({ key: name, first, offset })
      // An assignment of `__proto__` sets no key.
      if (name in made) Object.defineProperty(made, name, { ...ownKey, value: plainOf(value) })
      else made[name] = plainOf(value)
    }
    return made
  }
  result.value = plainOf(contents)
  return result
}

/** Describes an error of the parser, where its own words are about its interface. */
function syntaxFault(code: string, message: string): string {
  const text = code === 'MULTIPLE_DOCS' ? 'A file has one YAML document. Remove the line "---"' : message
  return /[.?]$/.test(text) ? text : `${text}.`
}

/** Returns the aliases that no earlier value is the anchor of. */
function lostAliases(document: Document): { source: string; offset: number }[] {
  const anchors = new Set<string>()
  const lost: { source: string; offset: number }[] = []
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        if (!anchors.has(node.source) && lost.length < faultsMax)
          lost.push({ source: node.source, offset: node.range?.[0] ?? 0 })
      } else if (node.anchor !== undefined) anchors.add(node.anchor)
    },
  })
  return lost
}

const ownKey = { writable: true, enumerable: true, configurable: true }

/** Keys that would mean something to JavaScript, and values that an alias puts into themselves. */
function flawsOfKeys(value: unknown, at: (string | number)[] = [], around: readonly object[] = []): Flaw[] {
  if (typeof value !== 'object' || value === null) return []
  if (around.includes(value)) return [{ path: at, message: holdsItself }]
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
