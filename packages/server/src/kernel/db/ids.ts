import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

/**
 * Makes the id of a new row: a UUIDv7 (RFC 9562, 5.7), so ids made later sort later. Inject it wherever rules need an
 * id.
 */
export type NewId = () => string

export const newId: NewId = () => {
  if (taken === random.length) {
    randomFillSync(random)
    taken = 0
  }
  const bytes = random.subarray(taken, taken + bytesEach)
  taken += bytesEach
  const now = Date.now()
  if (now > msecs) {
    msecs = now
    seq = bytes.readUInt32BE(6) >>> 1
  } else {
    // Increments within one millisecond, and after the clock was set back.
    seq = (seq + 1) & 0x7fff_ffff
    if (seq === 0) msecs += 1
  }
  return v7({ msecs, seq, random: bytes })
}

const bytesEach = 16
/** Reads random bytes for many ids in one call: one call per id took most of the time that an id takes. */
const random = Buffer.alloc(256 * bytesEach)
let taken = random.length
let msecs = 0
let seq = 0

/** Returns whether a text can be the id of a row. Any other text is treated like a missing row, without a lookup. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)
}

/**
 * Returns the lowest id that can be made at a time: the first 48 bits of a UUIDv7 are the millisecond. Everything made
 * earlier has a lower id, so a range of time is a range of ids. Partitions by id and indexes that end with it use that.
 */
export function firstIdAt(time: Date): string {
  const ms = Math.min(Math.max(time.getTime(), 0), 2 ** 48 - 1)
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** Returns the millisecond in which an id was made. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))
}
