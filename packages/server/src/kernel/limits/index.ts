export type { ConcurrencyLimit } from './concurrency-limit.ts'
export type { PaceLimit } from './pace-limit.ts'
export { SharedLimits, type SharedLimitsOptions } from './shared-limits.ts'
