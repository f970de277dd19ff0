/**
 * How Node runs the service. Left alone, V8 lets the young generation grow to more than 100 MB while records flow, and never gives it
 * back; a third of that is as fast (bench/README.md).
 */
export const serviceFlags = ['--max-semi-space-size=16']
