import type { Paging } from '../../catalogue/format/paging.ts'
import { namedPath, type Variables } from '../template.ts'
import { cursorPager } from './cursor.ts'
import { keysetPager } from './keyset.ts'
import { linkHeaderPager } from './link-header.ts'
import { nextUrlPager } from './next-url.ts'
import { nonePager } from './none.ts'
import { offsetPager } from './offset.ts'
import { pageNumberPager } from './page-number.ts'
import type { Pager } from './pager.ts'

/** @param text the variables of the object, which paths into the answer may name */
export function createPager(declared: Paging, text: Variables): Pager {
  const paging = withPaths(declared, text)
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
  }
}

/** Keys of a `paging` that are paths into the answer. */
export const pagingPaths = ['next', 'more', 'end', 'pages', 'count'] as const

function withPaths(paging: Paging, text: Variables): Paging {
  const declared: Record<string, unknown> = paging
  const paths = pagingPaths.flatMap((key) => {
    const path = declared[key]
    return typeof path === 'string' ? [[key, namedPath(path, text)] as const] : []
  })
  return { ...paging, ...Object.fromEntries(paths) }
}

/** Variables that a request may name under each kind of paging. */
export const pagingVariables: Record<Paging['kind'], readonly string[]> = {
  none: [],
  nextUrl: [],
  linkHeader: [],
  cursor: ['cursor', 'afterKey'],
  page: ['page'],
  offset: ['offset'],
  keyset: ['afterKey'],
}
