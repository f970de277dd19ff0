export { createGroupMetrics } from './group-metrics.ts'
export { createLogger, type Logger, type LoggerOptions } from './logger.ts'
export { createMetrics, type Metrics } from './metrics.ts'
