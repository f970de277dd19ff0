import { cursorRequestOf } from '../interpreter/listing.ts'
import { pagingVariables } from '../interpreter/paging/create-pager.ts'
import type { Flaw } from './flaw.ts'
import type { Child } from './format/read.ts'
import { lintPaths } from './lint-paths.ts'
import { lintRequest, usedVariables } from './lint-request.ts'

/**
 * What the schema cannot say of a list: variables of its request that nobody fills, and paging that would not move.
 *
 * @param named variables that its paths may name
 */
export function lintListing(
  path: Flaw['path'],
  listing: Child,
  allowed: readonly string[],
  named: readonly string[],
): Flaw[] {
  return [...lintPages(path, listing, allowed), ...lintPaths(path, listing, named)]
}

function lintPages(path: Flaw['path'], listing: Child, allowed: readonly string[]): Flaw[] {
  const { paging } = listing
  const known = [...allowed, 'pageSize', ...pagingVariables(paging)]
  const flaws = lintRequest(path, listing, known)
  const withCursor = cursorRequestOf(listing)
  if (withCursor !== undefined) flaws.push(...lintRequest([...path, 'paging', 'request'], withCursor, known))
  const used = usedVariables(withCursor ?? listing)
  if (paging === undefined || used === undefined) return flaws
  const mustName = { cursor: 'cursor', page: 'page', offset: 'offset', keyset: 'afterKey' }
  const needed: string[] = paging.kind in mustName ? [mustName[paging.kind as keyof typeof mustName]] : []
  if (paging.kind === 'cursor') {
    if ((paging.next === undefined) === (paging.nextHeader === undefined)) {
      flaws.push({ path: [...path, 'paging'], message: 'needs one of "next" and "nextHeader"' })
    }
  }
  if ('restart' in paging && paging.restart !== undefined) {
    needed.push('afterKey')
    if (paging.recordsMax !== undefined && paging.recordsMax < paging.restart.records)
      flaws.push({ path: [...path, 'paging', 'restart', 'records'], message: 'is more than "recordsMax"' })
  }
  for (const name of needed) {
    if (!used.has(name)) {
      flaws.push({
        path: [...path, 'paging'],
        message: `would read the first page forever: no request uses {{${name}}}`,
      })
    }
  }
  return flaws
}
