/** A place in the order of change: the time of the last change in ms, then the contact's index. */
export interface Position {
  readonly updatedAt: number
  readonly index: number
}

/** When each generated contact was created and last changed. Every answer is computed, nothing is stored. */
export interface Timeline {
  /** The contact that was changed as number `rank` (0 is the longest ago), and when. */
  at(rank: number): Position
  /** The inverse of `at`. */
  rankOf(index: number): number
  /** How many contacts stand at or before `position` in the order of change: the rank to continue with. */
  rankAfter(position: Position): number
  /** The beginning of the history, in ms. */
  readonly start: number
}

const historyMs = 2 * 365 * 24 * 3_600_000

/** Whether `a` comes before `b` in the order of (time of change, id). */
export function isBefore(a: Position, b: Position): boolean {
  return a.updatedAt < b.updatedAt || (a.updatedAt === b.updatedAt && a.index < b.index)
}

/**
 * Spreads `count` last changes over the two years before `end` (ms). Contact `i` gets rank `(a·i + b) mod count` with
 * `a` coprime to `count`: the order of change looks unrelated to the order of ids, and both directions are one
 * multiplication, so a page of a million contacts needs no sorted list of a million.
 */
export function createTimeline(count: number, end: number): Timeline {
  const start = end - historyMs
  const step = historyMs / count
  const factor = coprimeNear(Math.floor(count * 0.618), count)
  const inverse = inverseOf(factor, count)
  const shift = Math.floor(count / 3)

  const at = (rank: number): Position => ({
    // Uneven within its own step, so that times look natural and yet stay in the order of ranks.
    updatedAt: Math.floor(start + (rank + ((rank * 0.754877) % 1) * 0.9) * step),
    index: (((rank - shift + count) % count) * inverse) % count,
  })

  return {
    start,
    at,
    rankOf: (index) => (index * factor + shift) % count,
    rankAfter(position) {
      let rank = Math.min(count, Math.max(0, Math.floor((position.updatedAt - start) / step)))
      while (rank > 0 && isBefore(position, at(rank - 1))) rank--
      while (rank < count && !isBefore(position, at(rank))) rank++
      return rank
    },
  }
}

function coprimeNear(wanted: number, count: number): number {
  let candidate = Math.max(1, wanted)
  while (greatestCommonDivisor(candidate, count) !== 1) candidate++
  return candidate
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}

/** The number whose product with `factor` is 1 modulo `count` (extended Euclid). */
function inverseOf(factor: number, count: number): number {
  let [previous, current] = [count, factor % count]
  let [previousInverse, inverse] = [0, 1]
  while (current > 1) {
    const quotient = Math.floor(previous / current)
    ;[previous, current] = [current, previous - quotient * current]
    ;[previousInverse, inverse] = [inverse, previousInverse - quotient * inverse]
  }
  return ((inverse % count) + count) % count
}
