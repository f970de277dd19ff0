import { pipeline, Readable, Transform } from 'node:stream'
import { contentDecoder } from './content-decoder.ts'
import type { Flow, Receiver } from './exchange.ts'
import { OutboundError } from './outbound-error.ts'

/** An answer whose body flows. */
export type StreamedAnswer = {
  status: number
  /** Names in lower case; a repeated header is joined by `, `. */
  headers: Record<string, string>
  /**
   * Decompressed, with back-pressure to the sender. Fails with an `OutboundError` (`too_large`, `timeout`, `aborted`,
   * …); destroying it closes the connection.
   */
  body: Readable
}

/** A receiver that answers with the headers and lets the body flow through, at most `maxBytes` of it. */
export function streamAnswer(
  rules: { host: string; maxBytes: number; decompress: boolean },
  resolve: (answer: StreamedAnswer) => void,
  reject: (error: OutboundError) => void,
): Receiver {
  let raw: Readable | undefined
  let flow: Flow | undefined
  return {
    headers(status, headers, steering) {
      flow = steering
      raw = wireBody(steering)
      const body = limitedBody(rules.host, rules.maxBytes)
      const decoder = rules.decompress ? contentDecoder(headers['content-encoding']) : undefined
      // The last stage carries the outcome to its reader; the callback has nothing to add.
      if (decoder === undefined) {
        pipeline(raw, body, () => undefined)
      } else {
        delete headers['content-encoding']
        delete headers['content-length']
        pipeline(raw, decoder, body, () => undefined)
      }
      resolve({ status, headers, body })
    },
    data(chunk) {
      if (raw?.push(chunk) === false) flow?.pause()
    },
    end: () => raw?.push(null),
    fail(error) {
      if (raw === undefined) reject(error)
      else raw.destroy(error)
    },
  }
}

/** The body as it comes off the wire. Destroying it closes the connection. */
function wireBody(flow: Flow): Readable {
  return new Readable({
    read: () => flow.resume(),
    destroy(error, callback) {
      flow.stop()
      callback(error)
    },
  })
}

function limitedBody(host: string, maxBytes: number): Transform {
  let bytes = 0
  const body = new Transform({
    transform(chunk: Buffer, _, callback) {
      bytes += chunk.length
      if (bytes <= maxBytes) callback(null, chunk)
      else callback(new OutboundError('too_large', `${host} answered with more than ${maxBytes} bytes.`))
    },
    destroy(error, callback) {
      callback(error === null ? null : outcome(error, host))
    },
  })
  // A reader that went away, or has not come yet, must not turn a broken body into an uncaught exception.
  body.on('error', () => undefined)
  return body
}

function outcome(error: Error, host: string): OutboundError {
  if (error instanceof OutboundError) return error
  return new OutboundError('protocol', `${host} sent a body that cannot be read.`, { cause: error })
}
