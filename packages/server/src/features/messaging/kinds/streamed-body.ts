import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'

/** A body that is read in pieces each time that it is sent, so that memory holds only one of them. */
export interface SizedBody {
  bytes: number
  read(): AsyncIterable<Buffer>
}

/** A part of a body, which is sent separately. */
export interface StreamedBody extends SizedBody {
  /** SHA-256 in hexadecimal digits. */
  sha256: string
}

/** A body with its parts: one, unless it is large. */
export interface DividedBody extends SizedBody {
  parts: readonly StreamedBody[]
}

/** A larger body has parts. */
const undividedBytesMax = 16 * 2 ** 20
/** Size of a part, except the last. S3 requires 5 MiB, and some stores the same size for all. */
const partBytes = 8 * 2 ** 20

export function isStreamed<Body extends SizedBody>(body: Buffer | string | Body | undefined): body is Body {
  return typeof body === 'object' && 'read' in body
}

export function bytesOf(body: Buffer | SizedBody): number {
  return isStreamed(body) ? body.bytes : body.length
}

/** Returns where the parts of a body begin and end. */
export function rangesOf(bytes: number): { from: number; to: number }[] {
  const size = bytes > undividedBytesMax ? partBytes : bytes
  const count = bytes === 0 ? 0 : Math.ceil(bytes / size)
  return Array.from({ length: count }, (_, index) => ({ from: index * size, to: Math.min((index + 1) * size, bytes) }))
}

export function partsOf(body: Buffer | DividedBody): readonly (Buffer | StreamedBody)[] {
  if (isStreamed(body)) return body.parts
  return rangesOf(body.length).map(({ from, to }) => body.subarray(from, to))
}

/** Returns the SHA-256 of a body in hexadecimal digits. */
export function sha256Of(body: Buffer | string): string {
  return createHash('sha256').update(body).digest('hex')
}

/**
 * Sends a body as a stream. A request whose body breaks off has fewer bytes than its length says, so no server takes it
 * for complete.
 *
 * @throws what reading the body threw, rather than what became of the request
 */
export async function sendStreamed<T>(body: SizedBody, send: (stream: Readable) => Promise<T>): Promise<T> {
  let failure: { error: unknown } | undefined
  async function* parts() {
    try {
      yield* body.read()
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  const stream = Readable.from(parts(), { objectMode: false, highWaterMark: 1 })
  // The request handles its error. After the request, nothing does.
  stream.on('error', () => undefined)
  try {
    return await send(stream)
  } catch (error) {
    throw failure === undefined ? error : failure.error
  } finally {
    stream.destroy()
  }
}
