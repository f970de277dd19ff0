/** Bytes of batches between two collections. */
const everyBytes = 8 * 1024 * 1024

/** V8 begins a collection when buffers of this size have been allocated since the last one. */
const limitOfV8 = 64 * 1024 * 1024

/**
 * Collects what large batches leave behind. While a batch is written, V8 moves its messages to the old generation. They
 * are buffers outside the heap, and V8 collects them only after another 64 MB of buffers. The C library and V8 then
 * keep that memory.
 *
 * V8 has no call to start a collection that lets other work run: `gc` stops the process until it has ended. So a buffer
 * of 64 MB is allocated and forgotten. Nobody writes to it, so it takes addresses and no memory.
 */
export class OldGarbage {
  #bytes = 0

  /** Counts a batch that has ended. */
  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes < everyBytes) return
    this.#bytes = 0
    try {
      // Not `new ArrayBuffer`: a bundler leaves that out, because nothing uses it.
      Buffer.allocUnsafeSlow(limitOfV8)
    } catch {
      // The system has no addresses left for it. Before it gave up, V8 collected everything.
    }
  }
}
