import { mergeTree } from '../interpreter/merge-tree.ts'
import { isObject } from '../interpreter/path.ts'
import { compilePattern, patternFault } from '../interpreter/pattern.ts'
import { didYouMean } from './did-you-mean.ts'
import type { Flaw } from './flaw.ts'
import type { ObjectSet, ProviderFile, ProviderFileOutline, ProviderObject } from './format/provider-file.ts'

/**
 * Flaws of an object whose templates are merged in. `name` is absent for objects that no list names; these may have
 * further variables. `origins` are the paths of the object and of its templates.
 */
export type ObjectCheck = (
  object: object,
  name: string | undefined,
  origins: readonly Flaw['path'][],
  variables?: readonly string[],
) => Flaw[]

/**
 * Resolves the objects of a provider file: each with the templates that it is `like`.
 *
 * @param check checks each object; files of this package were checked when their generated form was written
 */
export function buildProviderFile(
  outline: ProviderFileOutline,
  path: string,
  check: ObjectCheck = () => [],
): { file: ProviderFile; flaws: Flaw[] } {
  const flaws: Flaw[] = []
  const file: ProviderFile = { path, errors: outline.errors ?? {}, headers: outline.headers ?? {}, sets: new Map() }
  if (outline.webhooks !== undefined) file.webhooks = outline.webhooks
  if (outline.stream !== undefined) file.stream = outline.stream
  const resolve: Resolve = (at, object, variables) =>
    resolveObject(outline, at, object, (made, name, origins) => check(made, name, origins, variables), flaws)
  const modules = outline.modules ?? {
    '': { objects: outline.objects ?? {}, otherObjects: outline.otherObjects ?? [], anyCase: outline.anyCase === true },
  }
  for (const [id, module] of Object.entries(modules)) {
    const place = id === '' ? [] : ['modules', id]
    const objects = objectsOf([...place, 'objects'], module.objects, resolve)
    const inSmall = [...objects].map(([name, object]) => [name.toLowerCase(), object] as const)
    file.sets.set(id, {
      objects,
      ...(module.anyCase === true && { anyCase: new Map(inSmall) }),
      others: othersOf([...place, 'otherObjects'], module.otherObjects, resolve, flaws),
      ...('webhooks' in module && module.webhooks !== undefined && { webhooks: module.webhooks }),
      ...('stream' in module && module.stream !== undefined && { stream: module.stream }),
      ...('apiUrl' in module && module.apiUrl !== undefined ? { apiUrl: module.apiUrl } : {}),
    })
  }
  return { file, flaws }
}

type Resolve = (at: Flaw['path'], object: unknown, variables?: readonly string[]) => ProviderObject | undefined

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
    const fault = patternFault(match)
    const pattern = fault === undefined ? compilePattern(`^(?:${match})$`) : undefined
    if (fault !== undefined) flaws.push({ path: [...at, index, 'match'], message: fault })
    const object = resolve([...at, index], { like }, pattern?.groupNames)
    return object === undefined || pattern === undefined ? [] : [{ match: pattern, object }]
  })
}

/** The object with its templates merged in; `undefined` when that, or the result, has flaws (which are added). */
function resolveObject(
  outline: ProviderFileOutline,
  at: Flaw['path'],
  declared: unknown,
  check: ObjectCheck,
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
      const names = origins.flatMap(([key, name]) => (key === 'templates' ? [`"${name}"`] : []))
      const message =
        template === undefined
          ? `is not a template of this file ("${like}")${didYouMean(like, Object.keys(outline.templates ?? {}))}`
          : `refers to itself: ${[...names, `"${like}"`].join(' is like ')}; remove one \`like\``
      flaws.push({ path: [...origin, 'like'], message })
      return undefined
    }
    layer = template
    origin = place
  }
  const object = chain.reduce((merged, part) => mergeTree(merged, part), {})
  const name = at.at(-1)
  const found = check(object, typeof name === 'string' ? name : undefined, origins)
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
