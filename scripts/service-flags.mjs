/**
 * How Node runs the service. Left alone, V8 lets the young generation grow to more than 100 MB while records flow, and never gives it
 * back; a third of that is as fast (bench/README.md).
 */
export const serviceFlags = ['--max-semi-space-size=16']

/**
 * How the C library keeps what buffers leave behind: few arenas, and large blocks given back at once. Left alone, it keeps some 20 MB more
 * for a million records. For glibc (mallopt(3)); elsewhere nothing reads them.
 */
export const serviceEnvironment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '262144',
}
