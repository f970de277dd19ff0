import type { LinkHeaderPaging } from '../../catalogue/format/paging.ts'
import type { Pager } from './pager.ts'

/** The `Link` header names the URL of the next page (RFC 8288). */
export function linkHeaderPager(paging: LinkHeaderPaging): Pager {
  const rel = paging.rel ?? 'next'
  return {
    variables: () => ({}),
    next({ headers }) {
      const url = linkTarget(headers['link'] ?? '', rel)
      return url === undefined ? undefined : { url }
    },
  }
}

const link = /<([^<>]*)>((?:\s*;\s*[\w!#$%&'*+.^`|~-]+(?:\s*=\s*(?:"[^"]*"|[^\s",;<>]*))?)*)/g
const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;<>]*))/i

/** Target of the first link with that relation type (one header may name several types, and several links). */
export function linkTarget(header: string, rel: string): string | undefined {
  for (const [, target, parameters] of header.matchAll(link)) {
    const [, quoted, bare] = relation.exec(parameters ?? '') ?? []
    const types = (quoted ?? bare ?? '').toLowerCase().split(/\s+/)
    if (types.includes(rel.toLowerCase())) return target
  }
  return undefined
}
