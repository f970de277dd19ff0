import { Duplex, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'

/**
 * Returns a decoder for a `content-encoding` (RFC 9110 8.4), or `undefined` when there is none, or when it is not a
 * compression: some servers send `utf-8`, and their bodies need no decoding. The output consists of small chunks and
 * stops when nobody reads it, so a decompression bomb needs no memory. The reader limits the total size.
 *
 * @param encoding value of the header; several codings are not supported, because servers do not send them
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

/** Decodes `deflate`, which means the zlib format, but half of the servers send raw deflate. The first byte decides. */
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
