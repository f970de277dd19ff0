import { Readable } from 'node:stream'
import { bodyTooLarge } from './body-limits.ts'

/**
 * Returns a body as it arrives. It fails with BodyTooLarge once it exceeds its limit, and immediately when the
 * announced length does. The rest is still read and discarded, so that a client that is sending receives the response.
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
