import { getHealth } from './operations/get-health.ts'
import { getMetrics } from './operations/get-metrics.ts'
import { getReadiness } from './operations/get-readiness.ts'

/** Answered in every role. */
export const healthOperations = [getHealth, getReadiness, getMetrics]
