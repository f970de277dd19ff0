import { acceptsEncoding, type Reply, reply } from '../../../kernel/http/index.ts'
import { isKnown, type Written } from './written-catalogue.ts'

/** Returns the serialized body, compressed if the client allows it, or 304 to a client that has it already. */
export function answerOf(
  { body, etag, zipped }: Written,
  headers: Record<string, string | string[] | undefined>,
): Reply<200, never> | Reply<304, null> {
  const cached = { etag, 'cache-control': 'public, no-cache', ...(zipped && { vary: 'accept-encoding' }) }
  if (isKnown(headers['if-none-match'], etag)) return reply(304, null, cached)
  if (zipped && acceptsEncoding(String(headers['accept-encoding'] ?? ''), 'gzip'))
    // Other bytes than those of the strong tag (RFC 9110, section 8.8.3.3).
    return reply(200, zipped() as never, { ...cached, etag: `W/${etag}`, 'content-encoding': 'gzip' })
  // The text matches the schema (a test compares them), so it is sent without serialization.
  return reply(200, body as never, cached)
}
