import { Duplex, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'

/**
 * Undoes a `content-encoding` (RFC 9110 8.4), or `undefined` when there is none, or one that is no compression: some
 * servers send `utf-8` there, and their bodies are fine as they are. Output comes in small chunks and stops when nobody
 * reads it, so a bomb costs no memory; how much is taken is the reader's to limit.
 *
 * @param encoding value of the header; more than one coding is not undone, nobody sends that
 */
export function contentDecoder(encoding: string | undefined): Duplex | undefined {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    case 'zstd':
      return createZstdDecompress()
    case 'deflate':
      return inflateEither()
    default:
      return undefined
  }
}

/** `deflate` means zlib's format, but half of the servers that say it send raw deflate: the first byte tells. */
function inflateEither(): Duplex {
  let inflate: Transform | undefined
  const either: Duplex = new Duplex({
    write(chunk: Buffer, encoding, callback) {
      if (inflate === undefined) {
        inflate = ((chunk[0] ?? 0) & 0x0f) === 0x08 ? createInflate() : createInflateRaw()
        inflate.on('data', (data) => either.push(data) || inflate?.pause())
        inflate.on('end', () => either.push(null))
        inflate.on('error', (error) => either.destroy(error))
      }
      inflate.write(chunk, encoding, callback)
    },
    final(callback) {
      if (inflate === undefined) either.push(null)
      else inflate.end()
      callback()
    },
    read() {
      inflate?.resume()
    },
    destroy(error, callback) {
      inflate?.destroy()
      callback(error)
    },
  })
  return either
}
