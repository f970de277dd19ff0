import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'

/** A body that is read in parts, so that memory holds only one of them. */
export interface SizedBody {
  bytes: number
  read(): AsyncIterable<Buffer>
}

/** A body that is read each time that it is sent. */
export interface StreamedBody extends SizedBody {
  /** SHA-256 of the whole, in hexadecimal digits. */
  sha256: string
}

export function isStreamed<T extends SizedBody>(body: Buffer | string | T | undefined): body is T {
  return typeof body === 'object' && 'read' in body
}

export function bytesOf(body: Buffer | StreamedBody): number {
  return isStreamed(body) ? body.bytes : body.length
}

/** Returns the SHA-256 of a body in hexadecimal digits. */
export function sha256Of(body: Buffer | string | StreamedBody): string {
  return isStreamed(body) ? body.sha256 : createHash('sha256').update(body).digest('hex')
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
