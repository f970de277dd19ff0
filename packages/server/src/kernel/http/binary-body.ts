import { Readable } from 'node:stream'
import { bodyTooLarge } from './body-limits.ts'

/**
 * A body as it arrives, which fails with BodyTooLarge once it passes its limit; what was announced too large fails at
 * once. Whatever the reader leaves is still drained, so that the answer reaches a client that is sending.
 */
export function cappedBody(body: Readable | undefined, announcedBytes: number, bytesMax: number): Readable {
  if (announcedBytes > bytesMax) throw bodyTooLarge(bytesMax)
  return body ? Readable.from(capped(body, bytesMax), { objectMode: false }) : Readable.from([])
}

async function* capped(body: Readable, bytesMax: number): AsyncGenerator<Buffer> {
  let bytes = 0
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > bytesMax) throw bodyTooLarge(bytesMax)
      yield chunk
    }
  } finally {
    body.resume()
  }
}
