import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

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
  #collect: (() => void) | undefined

  /** Counts a chunk. */
  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes < everyBytes) return
    this.#bytes = 0
    this.#collect ??= youngCollector()
    this.#collect()
  }
}

/**
 * Returns V8's `gc`. V8 exposes it only to contexts that are created while the flag is set, so other code does not see
 * it.
 */
function youngCollector(): () => void {
  setFlagsFromString('--expose-gc')
  try {
    const collect: unknown = runInNewContext('globalThis.gc')
    if (typeof collect !== 'function') return () => undefined
    return () => collect({ type: 'minor' })
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}
