import { nextRequestOf } from '../interpreter/listing.ts'
import { pagingVariables } from '../interpreter/paging/create-pager.ts'
import type { Flaw } from './flaw.ts'
import type { ResultPaging } from './format/paging.ts'
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
  return [
    ...lintPages(path, listing, allowed),
    ...lintPaths(path, listing, named),
    ...lintRows(path, listing),
    ...lintValues(path, listing),
  ]
}

/** Values are in a list of them, and none has a list itself. */
function lintValues(path: Flaw['path'], listing: Child): Flaw[] {
  if (listing.valueAs === undefined) return []
  return (['keyedBy', 'single', 'within'] as const)
    .filter((key) => listing[key] !== undefined)
    .map((key) => ({ path: [...path, 'valueAs'], message: `cannot be used with "${key}"` }))
}

/** Rows need a list of them, and columns on every page. */
function lintRows(path: Flaw['path'], listing: Child): Flaw[] {
  const { rows, paging, format = 'json' } = listing
  if (rows === undefined) return []
  const at = [...path, 'rows']
  const flaws: Flaw[] = []
  for (const key of ['keyedBy', 'valueAs', 'single', 'within'] as const)
    if (listing[key] !== undefined) flaws.push({ path: at, message: `cannot be used with "${key}"` })
  if (format !== 'json') flaws.push({ path: at, message: 'needs responses in JSON' })
  if (rows.types !== undefined && rows.type === undefined)
    flaws.push({ path: [...at, 'types'], message: 'needs "type"' })
  if (rows.columns === undefined && paging !== undefined && paging.kind !== 'none')
    flaws.push({ path: at, message: 'needs "columns": only the first page has a row of names' })
  return flaws
}

function lintPages(path: Flaw['path'], listing: Child, allowed: readonly string[]): Flaw[] {
  const { paging } = listing
  const known = [...allowed, 'pageSize', ...pagingVariables(paging)]
  const flaws = lintRequest(path, listing, known)
  const withCursor = nextRequestOf(listing)
  if (withCursor !== undefined) flaws.push(...lintRequest([...path, 'paging', 'request'], withCursor, known))
  const used = usedVariables(withCursor ?? listing)
  if (paging === undefined || used === undefined) return flaws
  const mustName = { cursor: 'cursor', page: 'page', offset: 'offset', keyset: 'afterKey' }
  const needed: string[] = paging.kind in mustName ? [mustName[paging.kind as keyof typeof mustName]] : []
  if (paging.kind === 'result') flaws.push(...lintResult([...path, 'paging'], paging, used))
  if (paging.kind === 'cursor') {
    if ((paging.next === undefined) === (paging.nextHeader === undefined)) {
      flaws.push({ path: [...path, 'paging'], message: 'needs one of "next" and "nextHeader"' })
    }
  }
  if (
    (paging.kind === 'nextUrl' || paging.kind === 'cursor') &&
    (paging.list === undefined) !== (paging.when === undefined)
  )
    flaws.push({ path: [...path, 'paging'], message: 'needs both of "list" and "when", or none' })
  if (paging.kind === 'page' && paging.session !== undefined && !used.has('session'))
    flaws.push({ path: [...path, 'paging', 'session'], message: 'is sent by no request: none has {{session}}' })
  if (paging.kind === 'cursor' && paging.list !== undefined && paging.next === undefined)
    flaws.push({ path: [...path, 'paging', 'list'], message: 'needs "next"' })
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

/** A result whose requests do not name it, or always ask for the same part. */
function lintResult(path: Flaw['path'], paging: ResultPaging, used: ReadonlySet<string>): Flaw[] {
  const { next, parts, keep = {} } = paging
  const needed = [
    'result.id',
    ...(next === undefined ? [] : ['cursor']),
    ...(parts === undefined ? [] : ['result.part']),
  ]
  const missing = needed.filter((name) => !used.has(name))
  const known = new Set(['id', 'part', ...Object.keys(keep)].map((name) => `result.${name}`))
  const unknown = [...used].filter((name) => name.startsWith('result') && !known.has(name))
  return [
    ...missing.map((name) => ({ path: [...path, 'request'], message: `must use {{${name}}}` })),
    ...unknown.map((name) => ({
      path: [...path, 'request'],
      message: `uses the variable "${name}", which "keep" does not have`,
    })),
    ...(next !== undefined && parts !== undefined
      ? [{ path, message: 'needs at most one of "next" and "parts"' }]
      : []),
  ]
}
