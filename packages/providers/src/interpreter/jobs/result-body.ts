import { pipeline, Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { createGunzip } from 'node:zlib'
import { malformed } from './result-rows.ts'

/** A text compresses to about a tenth. What expands more than this, beyond the first bytes, is made to fill memory. */
const expansionMax = 100
const freeBytes = 16 * 1024 * 1024
/** Largest result after decompression. */
const bytesMax = 50 * 1024 * 1024 * 1024

/**
 * Decompresses a body as it arrives (GZIP, RFC 1952). Ending the iteration closes the body.
 *
 * @throws ProviderError `unexpected_response` if it is not valid GZIP, is cut, or expands too much
 */
export function inflated(body: Readable): Readable {
  return Readable.from(chunksOf(body), { objectMode: false })
}

async function* chunksOf(body: Readable): AsyncGenerator<Buffer, void, undefined> {
  let received = 0
  let bytes = 0
  const gunzip = createGunzip()
  body.on('data', (chunk: Buffer) => {
    received += chunk.length
  })
  // The outcome reaches the reader of the decompressed stream.
  pipeline(body, gunzip, () => undefined)
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > bytesMax || (bytes > freeBytes && bytes > received * expansionMax))
        throw malformed('it expands to more than a result has.')
      yield chunk
    }
  } catch (error) {
    throw isOfZlib(error) ? malformed('it is not valid GZIP, or is cut.', error) : error
  } finally {
    body.destroy()
    gunzip.destroy()
  }
}

function isOfZlib(error: unknown): boolean {
  return /^(?:Z_|ERR_ZLIB)/.test(String((error as { code?: unknown }).code ?? ''))
}

/** Converts a body to UTF-8 by the `charset` of its content type. @throws ProviderError if the charset is unknown */
export function decodedText(body: Readable, contentType = ''): Readable {
  const label = /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  if (/^utf-?8$/i.test(label)) return body
  let decoder: TextDecoder
  try {
    decoder = new TextDecoder(label)
  } catch {
    body.destroy()
    throw malformed('its encoding is not known.')
  }
  return Readable.from(textsOf(body, decoder), { objectMode: false })
}

async function* textsOf(body: Readable, decoder: TextDecoder): AsyncGenerator<Buffer, void, undefined> {
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) yield Buffer.from(decoder.decode(chunk, { stream: true }))
    yield Buffer.from(decoder.decode())
  } finally {
    body.destroy()
  }
}
