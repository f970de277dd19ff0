/** A body is larger than allowed. */
export class BodyTooLarge extends Error {}

/**
 * Collects a body, which stays open for an answer when it is refused.
 * @throws BodyTooLarge as soon as it passes `bytesMax`
 */
export async function readBody(chunks: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const kept: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw new BodyTooLarge(`more than ${bytesMax} bytes`)
    kept.push(chunk)
  }
  return Buffer.concat(kept)
}
