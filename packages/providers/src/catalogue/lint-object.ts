import { mergeTree } from '../interpreter/merge-tree.ts'
import { pagingVariables } from '../interpreter/paging/create-pager.ts'
import type { Flaw } from './file-checks.ts'
import type { ProviderObject } from './format/provider-file.ts'
import type { Child } from './format/read.ts'
import { lintMakeFields } from './lint-make-fields.ts'
import { lintPaths } from './lint-paths.ts'
import { lintRequest, usedVariables } from './lint-request.ts'
import { lintWrite } from './lint-write.ts'

/** What the schema cannot say of an object: variables, paging that would not move, a window that filters nothing. */
export function lintObject(object: ProviderObject, connectionVariables: Iterable<string>): Flaw[] {
  const flaws: Flaw[] = []
  const shared = ['workspace', 'object', ...connectionVariables, ...Object.keys(object.set ?? {})]
  const { read, incremental } = object
  const window = incremental === undefined ? [] : ['since', 'until']
  const parent = read.each === undefined ? [] : ['parent']
  const ofRead = [...shared, ...window, ...parent, 'fields', 'filters']
  const named = ['object', ...Object.keys(object.set ?? {})]
  const lintListing = (path: Flaw['path'], listing: Child, allowed: readonly string[]) => [
    ...lintPages(path, listing, allowed),
    ...lintPaths(path, listing, named),
  ]
  flaws.push(...lintListing(['read'], read, ofRead))
  if (read.each !== undefined) flaws.push(...lintListing(['read', 'each'], read.each, [...shared, ...window]))
  if (read.customFields?.definitions !== undefined) {
    flaws.push(...lintListing(['read', 'customFields', 'definitions'], read.customFields.definitions, shared))
  }
  if (object.search !== undefined) {
    const merged = mergeTree(read, object.search)
    flaws.push(...lintListing(['search'], merged, [...shared, ...window, 'fields', 'filters']))
    if (usedVariables(merged)?.has('filters') === false)
      flaws.push({ path: ['search'], message: 'names no filters: every record would be found' })
    if (merged.each !== undefined) flaws.push({ path: ['search'], message: 'cannot have "each"' })
  }
  for (const [name, child] of Object.entries(read.children ?? {})) {
    flaws.push(...lintListing(['read', 'children', name], child, [...shared, 'record']))
  }
  if (incremental !== undefined) {
    const merged = mergeTree(read, incremental.read ?? {})
    if (incremental.read !== undefined) {
      flaws.push(...lintListing(['incremental', 'read'], merged, ofRead))
    }
    const filters =
      incremental.filter !== undefined ||
      [merged, merged.each].some((listing) => listing !== undefined && usedVariables(listing)?.has('since') === true)
    if (!filters) flaws.push({ path: ['incremental'], message: 'neither sends {{since}} nor declares a filter' })
  }
  object.fields?.forEach((source, at) => {
    if (source.source === 'live' || source.source === 'choices') {
      flaws.push(...lintListing(['fields', at], source, shared))
    } else if (source.source === 'required') flaws.push(...lintRequest(['fields', at], source, shared))
  })
  flaws.push(...lintWrite(object, shared))
  flaws.push(...lintMakeFields(object, shared))
  return flaws
}

function lintPages(path: Flaw['path'], listing: Child, allowed: readonly string[]): Flaw[] {
  const { paging } = listing
  const flaws = lintRequest(path, listing, [...allowed, 'pageSize', ...pagingVariables[paging?.kind ?? 'none']])
  const used = usedVariables(listing)
  if (paging === undefined || used === undefined) return flaws
  const mustName = { cursor: 'cursor', page: 'page', offset: 'offset', keyset: 'afterKey' }
  const needed: string[] = paging.kind in mustName ? [mustName[paging.kind as keyof typeof mustName]] : []
  if (paging.kind === 'cursor') {
    if (paging.restart !== undefined) needed.push('afterKey')
    if ((paging.next === undefined) === (paging.nextHeader === undefined)) {
      flaws.push({ path: [...path, 'paging'], message: 'needs one of "next" and "nextHeader"' })
    }
  }
  for (const name of needed) {
    if (!used.has(name)) {
      flaws.push({
        path: [...path, 'paging'],
        message: `would read the first page for ever: no request names {{${name}}}`,
      })
    }
  }
  return flaws
}
