/** Rows above and below that are drawn already when scrolling begins. */
const spare = 4

/** Returns the indexes of the rows that a box shows, all of which have one height. */
export function visibleRows(offsetPx: number, boxPx: number, rowPx: number, count: number): number[] {
  const first = Math.max(0, Math.min(Math.floor(offsetPx / rowPx), count - 1) - spare)
  const last = Math.min(count - 1, Math.ceil((offsetPx + boxPx) / rowPx) + spare)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
}
