export type { ConcurrencyLimit } from './concurrency-limit.ts'
export { JointPace } from './joint-pace.ts'
export type { Pace } from './pace-limit.ts'
export { SharedLimits, type SharedLimitsOptions } from './shared-limits.ts'
