import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Of bodies, this much passes between two collections. */
const everyBytes = 8 * 1024 * 1024

/**
 * What bodies leave behind on their way through: each chunk is a buffer outside the heap, and V8 lets tens of megabytes
 * of dead ones stand before it looks at the young generation, which the C library then keeps. Collecting the young
 * generation, a fraction of a millisecond, after each few megabytes keeps the memory of a node flat whatever streams
 * through it. Small answers hardly ever get there.
 */
export class YoungGarbage {
  #bytes = 0
  #collect: (() => void) | undefined

  /** A chunk has come. */
  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes < everyBytes) return
    this.#bytes = 0
    this.#collect ??= youngCollector()
    this.#collect()
  }
}

/** V8 hands its collector to contexts that are made while the flag is set, and to no other: nobody else sees it. */
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
