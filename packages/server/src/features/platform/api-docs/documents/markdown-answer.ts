import { entityTagOf, matchesTag, reply } from '../../../../kernel/http/index.ts'

export const markdownType = 'text/markdown; charset=utf-8'

/** Returns a text with its entity tag, or 304 without it if the caller has it already. */
export function markdownAnswer(text: string, headers: Record<string, string | string[] | undefined>) {
  const etag = entityTagOf(text)
  const cached = { etag, 'cache-control': 'public, no-cache', 'x-content-type-options': 'nosniff' }
  const known = headers['if-none-match']
  return matchesTag(Array.isArray(known) ? known.join(',') : known, etag)
    ? reply(304, null, cached)
    : reply(200, text, cached)
}
