import type { Readable } from 'node:stream'
import { eventStream, type ServerEvent } from '../http/index.ts'

export interface StreamOptions {
  /** `input.signal`. */
  signal: AbortSignal
  source: AsyncIterable<ServerEvent>
  /** A client that takes nothing for so long is cut off; it can come back where it was. */
  stallMs?: number
}

/**
 * The answer of an endpoint that streams what it follows. Every event carries the id that a client comes back with.
 */
export function streamOf({ signal, source, stallMs = 60_000 }: StreamOptions): Readable {
  let yieldedAt: number | undefined
  async function* timed(): AsyncGenerator<ServerEvent> {
    for await (const event of source) {
      yieldedAt = performance.now()
      yield event
      yieldedAt = undefined
    }
  }
  const stream = eventStream({ signal, source: timed() })
  const looking = setInterval(
    () => {
      if (yieldedAt !== undefined && performance.now() - yieldedAt > stallMs) stream.destroy()
    },
    Math.min(10_000, stallMs),
  ).unref()
  stream.once('close', () => clearInterval(looking))
  return stream
}
