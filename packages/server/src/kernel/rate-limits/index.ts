export type { ConcurrencyLimit } from './concurrency-limit.ts'
export { JointRateLimiter } from './joint-rate-limiter.ts'
export { type RateLimiter, SharedRateLimiter } from './rate-limiter.ts'
export { SharedLimits, type SharedLimitsOptions } from './shared-limits.ts'
