import { type Reply, reply } from '../../../kernel/http/index.ts'
import { isKnown, type Written } from './written-catalogue.ts'

/** What was written, or 304 to whoever has it already. */
export function answerOf(
  { body, etag }: Written,
  headers: Record<string, string | string[] | undefined>,
): Reply<200, never> | Reply<304, null> {
  const cached = { etag, 'cache-control': 'public, no-cache' }
  if (isKnown(headers['if-none-match'], etag)) return reply(304, null, cached)
  // Its text is what the schema says (a test compares), and goes out as it is.
  return reply(200, body as never, cached)
}
