import type { SoakLimits } from './soak-judge.ts'

/**
 * Limits of a run of so many minutes. In ten minutes, what collections and vacuums leave weighs more, and tests may run
 * on the same machine. A leak of 1 KB a delivery at 40 a second is 140 MB an hour. A handle left
 * by one of a hundred deliveries is 120 in five minutes.
 */
export function limitsOf(minutes: number): SoakLimits {
  const isLong = minutes >= 60
  return {
    residentMbPerHour: isLong ? 5 : 100,
    heapMbPerHour: isLong ? 5 : 50,
    p99Ratio: isLong ? 1.2 : 3,
    // Tests keep both cores busy for seconds; a queue that grows for minutes passes this.
    p99Ms: isLong ? 0 : 5_000,
    handles: isLong ? 8 : 24,
    dead: 10_000,
    tableMb: 8,
  }
}
