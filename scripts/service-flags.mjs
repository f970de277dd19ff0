/**
 * How Node runs the service. Left alone, V8 lets the young generation grow to more than 100 MB while records flow, and
 * never gives it back; a third of that is as fast. It also collects with four threads: on two cores these stand in the
 * way of the service itself and of its database, and what comes meanwhile waits twice as long; one keeps up with a heap
 * of this size. And it begins with a small old generation, which costs every request; with this one they take less
 * (bench/README.md).
 */
export const serviceFlags = ['--max-semi-space-size=16', '--initial-old-space-size=128', '--v8-pool-size=1']

/**
 * How the C library keeps what buffers leave behind: few arenas, and large blocks given back at once. Left alone, it
 * keeps some 20 MB more for a million records. For glibc (mallopt(3)); elsewhere nothing reads them.
 */
export const serviceEnvironment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '262144',
}
