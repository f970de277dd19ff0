import type { Paging } from '../../catalogue/format/paging.ts'
import { namedPath, type Variables } from '../template.ts'
import { cursorPager } from './cursor.ts'
import { keysetPager } from './keyset.ts'
import { limitedPager } from './limit.ts'
import { linkHeaderPager } from './link-header.ts'
import { nextUrlPager } from './next-url.ts'
import { nonePager } from './none.ts'
import { offsetPager } from './offset.ts'
import { pageNumberPager } from './page-number.ts'
import type { Pager } from './pager.ts'
import { restartingPager } from './restart.ts'
import { resultPager } from './result.ts'

/** @param text the variables of the object, which paths into the answer may name */
export function createPager(declared: Paging, text: Variables): Pager {
  const paging = withPaths(declared, text)
  const pager = pagerOf(paging)
  if ('restart' in paging && paging.restart !== undefined)
    return restartingPager(pager, paging.restart, paging.recordsMax)
  return 'recordsMax' in paging && paging.recordsMax !== undefined ? limitedPager(pager, paging.recordsMax) : pager
}

function pagerOf(paging: Paging): Pager {
  switch (paging.kind) {
    case 'none':
      return nonePager()
    case 'nextUrl':
      return nextUrlPager(paging)
    case 'linkHeader':
      return linkHeaderPager(paging)
    case 'cursor':
      return cursorPager(paging)
    case 'page':
      return pageNumberPager(paging)
    case 'offset':
      return offsetPager(paging)
    case 'keyset':
      return keysetPager(paging)
    case 'result':
      return resultPager(paging)
  }
}

/** Keys of a `paging` that are paths into the answer. */
export const pagingPaths = ['next', 'list', 'more', 'end', 'pages', 'count'] as const

function withPaths(paging: Paging, text: Variables): Paging {
  const declared: Record<string, unknown> = paging
  const paths = pagingPaths.flatMap((key) => {
    const path = declared[key]
    return typeof path === 'string' ? [[key, namedPath(path, text)] as const] : []
  })
  return { ...paging, ...Object.fromEntries(paths) }
}

/** Returns the variables that a request may name with this paging. */
export function pagingVariables(paging: Paging | undefined): readonly string[] {
  const variables = variablesOfKind[paging?.kind ?? 'none']
  if (paging === undefined) return variables
  const isKept = paging.kind === 'page' && paging.session !== undefined
  return [...variables, ...('restart' in paging ? ['afterKey'] : []), ...(isKept ? ['session'] : [])]
}

const variablesOfKind: Record<Paging['kind'], readonly string[]> = {
  none: [],
  nextUrl: [],
  linkHeader: [],
  cursor: ['cursor'],
  page: ['page'],
  offset: ['offset'],
  keyset: ['afterKey'],
  result: ['cursor', 'result'],
}
