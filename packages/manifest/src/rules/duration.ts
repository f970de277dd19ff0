/** Returns the time between two runs of a schedule, in words. */
export function duration(ms: number): string {
  if (ms % 60_000 !== 0) return `${ms / 1000} seconds`
  const minutes = ms / 60_000
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}
