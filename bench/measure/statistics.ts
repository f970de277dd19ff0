/** The middle of some figures: one that was disturbed moves it little. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
}

/** The figure that a share of them keeps below, such as 0.99 of them; they are in order. */
export function quantile(inOrder: ArrayLike<number>, share: number): number {
  return inOrder[Math.min(inOrder.length - 1, Math.floor(inOrder.length * share))] ?? Number.NaN
}

/** How much `y` grows for each unit of `x`: least squares. */
export function slope(points: readonly { x: number; y: number }[]): number {
  const mean = (pick: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const x = mean((point) => point.x)
  const y = mean((point) => point.y)
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0)
  return points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread
}

/** A figure with as many decimals as are worth reading. */
export function rounded(figure: number, decimals = 2): number {
  return Number(figure.toFixed(decimals))
}
