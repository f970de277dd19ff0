import { basename } from 'node:path'
import { type Document, isCollection, isNode, isPair, isScalar, LineCounter, parseDocument } from 'yaml'
import { mergeTree } from '../interpreter/merge-tree.ts'
import { isObject } from '../interpreter/path.ts'
import type { CatalogueFault } from './entry.ts'
import { checkObject, checkOutline, type Flaw } from './file-checks.ts'
import { type KnownFacts, lintFile, lintObject } from './lint-file.ts'
import type { ObjectSet, ProviderFile, ProviderFileOutline, ProviderObject } from './provider-file.ts'

export type ReadResult =
  | { outline: ProviderFileOutline; file: ProviderFile; faults?: undefined }
  | { faults: CatalogueFault[] }

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Parses and checks one provider file: YAML, schema, meaning. All faults at once, each with its line and column.
 *
 * @param facts what the imported facts say about a provider of that name
 */
export function readProviderFile(
  path: string,
  text: string,
  facts: (name: string) => KnownFacts | undefined,
): ReadResult {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: true,
    stringKeys: true,
    schema: 'core',
    prettyErrors: false,
  })
  const fault = (offset: number, at: string, message: string): CatalogueFault => {
    const { line, col } = lines.linePos(offset)
    return { file: path, line, column: col, path: at, message }
  }
  const syntax = [...document.errors, ...document.warnings]
  if (syntax.length > 0) return { faults: syntax.map(({ pos, message }) => fault(pos[0], '', message)) }

  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    return { faults: [fault(0, '', error instanceof Error ? error.message : 'cannot be read')] }
  }
  const toFaults = (flaws: readonly Flaw[]) => dedupe(flaws.map((flaw) => locate(document, flaw, fault)))
  const keys = flawsOfKeys(value)
  if (keys.length > 0) return { faults: toFaults(keys) }
  const shape = checkOutline(value)
  if (shape.length > 0) return { faults: toFaults(shape) }

  const outline = value as ProviderFileOutline
  const known = facts(outline.name)
  const flaws = lintFile(outline, known)
  if (basename(path).replace(/\.ya?ml$/, '') !== outline.name) {
    flaws.push({ path: ['name'], message: `must be the name of the file (${outline.name}.yaml)` })
  }
  const file: ProviderFile = { path, errors: outline.errors ?? {}, headers: outline.headers ?? {}, sets: new Map() }
  const inputs = (outline.inputs ?? known?.inputs ?? []).map(({ name }) => name)
  const resolve = (at: Flaw['path'], object: unknown) => resolveObject(outline, at, object, inputs, flaws)
  const modules = outline.modules ?? {
    '': { objects: outline.objects ?? {}, otherObjects: outline.otherObjects ?? [] },
  }
  for (const [id, module] of Object.entries(modules)) {
    const place = id === '' ? [] : ['modules', id]
    file.sets.set(id, {
      objects: objectsOf([...place, 'objects'], module.objects, resolve),
      others: othersOf([...place, 'otherObjects'], module.otherObjects, resolve, flaws),
      ...(module.apiUrl === undefined ? {} : { apiUrl: module.apiUrl }),
    })
  }
  return flaws.length > 0 ? { faults: toFaults(flaws) } : { outline, file }
}

type Resolve = (at: Flaw['path'], object: unknown) => ProviderObject | undefined

function objectsOf(
  at: Flaw['path'],
  declared: Record<string, unknown> | undefined,
  resolve: Resolve,
): ObjectSet['objects'] {
  const objects: ObjectSet['objects'] = new Map()
  for (const [name, outline] of Object.entries(declared ?? {})) {
    const object = resolve([...at, name], outline)
    if (object !== undefined) objects.set(name, object)
  }
  return objects
}

function othersOf(
  at: Flaw['path'],
  declared: ProviderFileOutline['otherObjects'],
  resolve: Resolve,
  flaws: Flaw[],
): ObjectSet['others'] {
  return (declared ?? []).flatMap(({ match, like }, index) => {
    const object = resolve([...at, index], { like })
    try {
      return object === undefined ? [] : [{ match: new RegExp(`^(?:${match})$`), object }]
    } catch {
      flaws.push({ path: [...at, index, 'match'], message: 'is no regular expression' })
      return []
    }
  })
}

/** The object with its templates merged in; `undefined` when that, or the result, has flaws (which are added). */
function resolveObject(
  outline: ProviderFileOutline,
  at: Flaw['path'],
  declared: unknown,
  inputs: readonly string[],
  flaws: Flaw[],
): ProviderObject | undefined {
  const chain: object[] = []
  const origins: Flaw['path'][] = []
  let layer: unknown = declared
  let origin = at
  while (isObject(layer)) {
    const { like, ...rest } = layer
    chain.unshift(rest)
    origins.push(origin)
    if (typeof like !== 'string') break
    const place: Flaw['path'] = ['templates', like]
    const template = Object.hasOwn(outline.templates ?? {}, like) ? outline.templates?.[like] : undefined
    if (template === undefined || origins.some((known) => known.join() === place.join())) {
      const message = template === undefined ? `names no template ("${like}")` : 'leads back to itself'
      flaws.push({ path: [...origin, 'like'], message })
      return undefined
    }
    layer = template
    origin = place
  }
  const object = chain.reduce((merged, part) => mergeTree(merged, part), {})
  let found = checkObject(object)
  if (found.length === 0) found = lintObject(object as ProviderObject, inputs)
  flaws.push(...found.map((flaw) => ({ ...flaw, path: homeOf(flaw.path, origins, chain) })))
  return found.length === 0 ? (object as ProviderObject) : undefined
}

/** Where a part of a merged object was written: in the object itself, or in the template that brought it. */
function homeOf(path: Flaw['path'], origins: readonly Flaw['path'][], chain: readonly object[]): Flaw['path'] {
  let best = { origin: origins[0] ?? [], depth: -1 }
  origins.forEach((origin, index) => {
    let value: unknown = chain[chain.length - 1 - index]
    let depth = 0
    for (const key of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) break
      value = (value as Record<string | number, unknown>)[key]
      depth++
    }
    if (depth > best.depth) best = { origin, depth }
  })
  return [...best.origin, ...path]
}

/** Keys that would mean something to JavaScript. */
function flawsOfKeys(value: unknown, at: (string | number)[] = []): Flaw[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => flawsOfKeys(item, [...at, index]))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) => {
    const path = [...at, key]
    return forbiddenKeys.has(key) ? [{ path, message: 'cannot be a key' }] : flawsOfKeys(item, path)
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
    const place: unknown = isPair(pair) ? pair.key : pair
    if (isNode(place)) offset = place.range?.[0] ?? offset
    node = isPair(pair) ? pair.value : pair
  }
  const at = path.join('.')
  return fault(offset, at, at === '' ? `The file ${message}.` : `${at} ${message}.`)
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
