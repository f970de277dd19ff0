import { mergeTree } from '../interpreter/merge-tree.ts'
import { pagingVariables } from '../interpreter/paging/create-pager.ts'
import type { Flaw } from './file-checks.ts'
import type { ProviderObject } from './format/provider-file.ts'
import type { Child } from './format/read.ts'
import { lintMakeFields } from './lint-make-fields.ts'
import { lintRequest, usedVariables } from './lint-request.ts'
import { lintWrite } from './lint-write.ts'

/** What the schema cannot say of an object: variables, paging that would not move, a window that filters nothing. */
export function lintObject(object: ProviderObject, connectionVariables: Iterable<string>): Flaw[] {
  const flaws: Flaw[] = []
  const shared = ['workspace', 'object', ...connectionVariables, ...Object.keys(object.set ?? {})]
  const { read, incremental } = object
  const window = incremental === undefined ? [] : ['since', 'until']
  flaws.push(...lintListing(['read'], read, [...shared, ...window, 'fields']))
  for (const [name, child] of Object.entries(read.children ?? {})) {
    flaws.push(...lintListing(['read', 'children', name], child, [...shared, 'record']))
  }
  if (incremental !== undefined) {
    const merged = mergeTree(read, incremental.read ?? {})
    if (incremental.read !== undefined) {
      flaws.push(...lintListing(['incremental', 'read'], merged, [...shared, ...window, 'fields']))
    }
    const filters = incremental.filter !== undefined || usedVariables(merged)?.has('since') === true
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

function lintListing(path: Flaw['path'], listing: Child, allowed: readonly string[]): Flaw[] {
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
