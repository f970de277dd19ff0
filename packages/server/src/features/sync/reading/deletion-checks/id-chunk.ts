import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Number of ids in one chunk of a sorted list: what a comparison keeps in memory of each list. */
export const chunkSize = 4_096
/** A chunk is never larger than this, decompressed. */
const chunkBytesMax = 256 * 1024 * 1024
/** Level 1 is faster than the default of 3, and sorted ids do not become larger. */
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Packs ids for storage. Sorted numbers take up to about five bytes each, random texts about as much as they hold. */
export function packIds(ids: readonly string[]): Buffer {
  return zstdCompressSync(JSON.stringify(ids), options)
}

export function unpackIds(packed: Buffer): string[] {
  return JSON.parse(zstdDecompressSync(packed, { maxOutputLength: chunkBytesMax }).toString())
}
