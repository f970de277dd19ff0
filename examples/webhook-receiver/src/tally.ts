import { hash } from 'node:crypto'

/** Counts how often each key came. */
export interface Tally {
  /** Counts one more; returns how often the key came before. */
  add(key: string): number
  /** How often the key came; at most 255. */
  count(key: string): number
  /** How many different keys came. */
  readonly distinct: number
}

/**
 * A tally that costs 18 to 36 bytes a key, whatever the key's length; a Map of strings costs about 100 and more. An
 * open hash table (linear probing) that keeps 64 bits of each key's SHA-256: among a million keys, any two share those
 * with a chance of 3 in 100 million.
 */
export function createTally(): Tally {
  let capacity = 1_024
  let prints = new BigUint64Array(capacity)
  let counts = new Uint8Array(capacity)
  let distinct = 0

  /** The place of the key, or the empty one where it belongs. */
  function slotOf(print: bigint): number {
    let slot = Number(print & BigInt(capacity - 1))
    while (counts[slot] !== 0 && prints[slot] !== print) slot = (slot + 1) & (capacity - 1)
    return slot
  }

  function grow(): void {
    const [oldPrints, oldCounts] = [prints, counts]
    capacity *= 2
    prints = new BigUint64Array(capacity)
    counts = new Uint8Array(capacity)
    for (const [slot, count] of oldCounts.entries()) {
      if (count === 0) continue
      const print = oldPrints[slot] ?? 0n
      const place = slotOf(print)
      prints[place] = print
      counts[place] = count
    }
  }

  return {
    add(key) {
      if (distinct * 2 >= capacity) grow()
      const print = fingerprint(key)
      const slot = slotOf(print)
      const before = counts[slot] ?? 0
      if (before === 0) {
        prints[slot] = print
        distinct++
      }
      if (before < 255) counts[slot] = before + 1
      return before
    },
    count: (key) => counts[slotOf(fingerprint(key))] ?? 0,
    get distinct() {
      return distinct
    },
  }
}

function fingerprint(key: string): bigint {
  return hash('sha256', key, 'buffer').readBigUInt64LE()
}
