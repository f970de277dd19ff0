import { createHash } from 'node:crypto'
import { ProviderError } from '../provider-error.ts'

/** The page that later ones are compared with, until when, and how often it came again. Travels in the page token. */
export interface PageLoop {
  mark: string
  left: number
  span: number
  again: number
}

/** A page may come twice, by a provider's slip; what comes a third time comes for ever. */
const againMax = 2

/**
 * Notices a provider that ignores the paging of a request, or whose cursors lead back: its pages come again and again,
 * and the read would never end. Brent's algorithm: each page is compared with one before it, which moves on in growing
 * steps.
 *
 * @returns what the token of the next page carries
 * @throws ProviderError `endless_pages`
 */
export function nextLoop(loop: PageLoop | undefined, records: readonly unknown[]): PageLoop | undefined {
  if (records.length === 0) return loop
  const mark = digestOf(records)
  if (loop === undefined) return { mark, left: againMax, span: againMax, again: 0 }
  const again = loop.again + (mark === loop.mark ? 1 : 0)
  if (again >= againMax)
    throw new ProviderError('endless_pages', 'The provider answers the same pages again and again; look at `paging`.')
  if (loop.left > 1) return { ...loop, again, left: loop.left - 1 }
  const span = Math.min(loop.span * 2, 1_000_000)
  return again > 0 && mark === loop.mark ? { ...loop, again, left: span, span } : { mark, left: span, span, again: 0 }
}

/** The ends of a page identify it; a digest of all of it would cost what the read costs. */
function digestOf(records: readonly unknown[]): string {
  const ends = JSON.stringify([records.length, records[0], records.at(-1)])
  return createHash('sha1').update(ends).digest('base64url').slice(0, 12)
}
