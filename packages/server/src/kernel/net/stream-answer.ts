import { Readable, Transform } from 'node:stream'
import { contentDecoder } from './content-decoder.ts'
import type { Flow, Receiver } from './exchange.ts'
import { OutboundError } from './outbound-error.ts'

/** An answer whose body flows. */
export type StreamedAnswer = {
  status: number
  /** Names in lower case; a repeated header is joined by `, `. */
  headers: Record<string, string>
  /**
   * Decompressed, with back-pressure to the sender. Fails with an `OutboundError` (`too_large`, `timeout`, `aborted`, …);
   * destroying it closes the connection.
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
  return {
    headers(status, headers, flow) {
      raw = wireBody(flow)
      const decoder = rules.decompress ? contentDecoder(headers['content-encoding']) : undefined
      const body = limited(rules.host, rules.maxBytes)
      const stages = decoder === undefined ? [raw, body] : [raw, decoder, body]
      if (decoder !== undefined) {
        delete headers['content-encoding']
        delete headers['content-length']
      }
      connect(stages, rules.host)
      resolve({ status, headers, body })
    },
    data: (chunk) => raw?.push(chunk),
    end: () => raw?.push(null),
    fail(error) {
      if (raw === undefined) reject(error)
      else raw.destroy(error)
    },
  }
}

function wireBody(flow: Flow): Readable {
  const raw = new Readable({
    read: () => flow.resume(),
    destroy: (error, callback) => {
      flow.stop()
      callback(error)
    },
  })
  const push = raw.push.bind(raw)
  raw.push = (chunk) => {
    const more = push(chunk)
    if (!more) flow.pause()
    return more
  }
  return raw
}
