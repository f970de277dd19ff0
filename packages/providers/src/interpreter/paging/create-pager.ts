import type { Paging } from '../../catalogue/format/paging.ts'
import { cursorPager } from './cursor.ts'
import { keysetPager } from './keyset.ts'
import { linkHeaderPager } from './link-header.ts'
import { nextUrlPager } from './next-url.ts'
import { nonePager } from './none.ts'
import { offsetPager } from './offset.ts'
import { pageNumberPager } from './page-number.ts'
import type { Pager } from './pager.ts'

export function createPager(paging: Paging): Pager {
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
