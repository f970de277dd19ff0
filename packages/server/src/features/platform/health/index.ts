import { getHealth } from './endpoints/get-health.ts'
import { getMetrics } from './endpoints/get-metrics.ts'
import { getReadiness } from './endpoints/get-readiness.ts'

/** Answered in every role. */
export const healthEndpoints = [getHealth, getReadiness, getMetrics]
