const poolSizeMin = 4

/** Connections for requests of one of several processes. With fewer, its jobs would wait for each other. */
export function poolShare(poolSize: number, processes: number): number {
  return Math.min(poolSize, Math.max(poolSizeMin, Math.ceil(poolSize / processes)))
}
