import type { Duplex } from 'node:stream'
import { contentDecoder } from './content-decoder.ts'
import type { Flow, Receiver } from './exchange.ts'
import { OutboundError } from './outbound-error.ts'

/** An answer whose body was taken into memory. */
export type Answer = {
  status: number
  /** Names in lower case; a repeated header is joined by `, `, `set-cookie` by line breaks. */
  headers: Record<string, string>
  /** Decompressed. */
  body: Buffer
  /** True when the body was cut at `maxBytes`, or, where it was not wanted, broke off. */
  truncated: boolean
}

/** How much of a body is taken, and what follows when there is more or less of it. */
export type BodyRules = {
  host: string
  /** Bytes at most, counted after decompression. */
  maxBytes: number
  tooLarge: 'truncate' | 'error'
  /** False: the answer counts once its headers are there, even when the body breaks off or never ends. */
  bodyWanted: boolean
}

/** A receiver that keeps the body, and settles once. */
export function collectAnswer(
  rules: BodyRules,
  resolve: (answer: Answer) => void,
  reject: (error: OutboundError) => void,
): Receiver {
  const chunks: Buffer[] = []
  let bytes = 0
  let bytesOnWire = 0
  let status = 0
  let headers: Record<string, string> = {}
  let flow: Flow | undefined
  let decoder: Duplex | undefined
  let settled = false

  const settle = (truncated: boolean) => {
    if (settled) return
    settled = true
    const [first] = chunks
    const body = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, bytes)
    resolve({ status, headers, body, truncated })
  }
  const fail = (error: OutboundError) => {
    if (settled) return
    if (!rules.bodyWanted && status !== 0) return settle(true)
    settled = true
    reject(error)
  }
  const keep = (chunk: Buffer) => {
    if (settled) return
    const room = rules.maxBytes - bytes
    if (chunk.length <= room) {
      chunks.push(chunk)
      bytes += chunk.length
      return
    }
    if (rules.tooLarge === 'truncate' || !rules.bodyWanted) {
      if (room > 0) chunks.push(chunk.subarray(0, room))
      bytes += room
      settle(true)
    } else {
      fail(new OutboundError('too_large', `${rules.host} answered with more than ${rules.maxBytes} bytes.`))
    }
    flow?.stop()
    decoder?.destroy()
  }

  const decoderFor = (sent: Record<string, string>) => {
    const decoding = contentDecoder(sent['content-encoding'])
    if (decoding === undefined) return undefined
    // They describe the bytes on the wire, not those handed on.
    delete sent['content-encoding']
    delete sent['content-length']
    decoding.on('data', keep)
    decoding.on('drain', () => flow?.resume())
    decoding.on('end', () => settle(false))
    decoding.on('error', (cause) => {
      fail(new OutboundError('protocol', `${rules.host} sent a body that cannot be decompressed.`, { cause }))
      flow?.stop()
    })
    return decoding
  }

  return {
    headers(answered, sent, steering) {
      status = answered
      headers = sent
      flow = steering
    },
    data(chunk) {
      // Not before there is a byte: an answer to HEAD may name a coding and has no body.
      if (bytesOnWire === 0) decoder = decoderFor(headers)
      bytesOnWire += chunk.length
      if (decoder === undefined) keep(chunk)
      else if (!decoder.write(chunk)) flow?.pause()
    },
    end() {
      if (decoder === undefined) settle(false)
      else decoder.end()
    },
    fail(error) {
      fail(error)
      decoder?.destroy()
    },
  }
}
