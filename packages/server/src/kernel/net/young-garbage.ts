import { garbageCollector } from '../garbage-collector.ts'

/** Bytes of bodies between two collections. */
const everyBytes = 8 * 1024 * 1024

/**
 * Collects the garbage of streamed bodies. Each chunk is a buffer outside the heap. V8 keeps tens of megabytes of dead
 * ones before it collects the young generation, and the C library then keeps that memory. A collection of the young
 * generation takes a fraction of a millisecond. Running it after every few megabytes keeps the memory of a node flat,
 * whatever it streams. Small responses hardly ever trigger it.
 */
export class YoungGarbage {
  #bytes = 0
  #collect: ReturnType<typeof garbageCollector> | undefined

  /** Counts a chunk. */
  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes < everyBytes) return
    this.#bytes = 0
    this.#collect ??= garbageCollector()
    this.#collect({ type: 'minor' })
  }
}
