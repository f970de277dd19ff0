const firstMs = 1_000
const mostMs = 15 * 60_000

/** How long to wait after so many attempts in vain: doubled each time up to a quarter of an hour, a fifth more or less. `random` is in [0, 1). */
export function backOffMs(attempt: number, random: number): number {
  return Math.round(Math.min(firstMs * 2 ** Math.min(attempt, 20), mostMs) * (0.8 + 0.4 * random))
}
