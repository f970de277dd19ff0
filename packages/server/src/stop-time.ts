import type { Config } from './config.ts'

/** Time that running work gets after a stop signal. */
const workMs = 25_000

/** Returns the milliseconds after a stop signal at which a process ends, whatever it does. */
export function stopMsMax({ stopDelaySeconds }: Pick<Config, 'stopDelaySeconds'>): number {
  return workMs + stopDelaySeconds * 1_000
}
