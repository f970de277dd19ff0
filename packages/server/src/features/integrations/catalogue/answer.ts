import { type Reply, reply } from '../../../kernel/http/index.ts'
import { isKnown, type Written } from './written-catalogue.ts'

/** Returns the serialized body, or 304 to a client that has it already. */
export function answerOf(
  { body, etag }: Written,
  headers: Record<string, string | string[] | undefined>,
): Reply<200, never> | Reply<304, null> {
  const cached = { etag, 'cache-control': 'public, no-cache' }
  if (isKnown(headers['if-none-match'], etag)) return reply(304, null, cached)
  // The text matches the schema (a test compares them), so it is sent without serialization.
  return reply(200, body as never, cached)
}
