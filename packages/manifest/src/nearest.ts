/**
 * The candidate that was probably meant: the one with the fewest changed letters, upper and lower case being the same,
 * if that is at most a third of them. `undefined` where none is near.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > 60) return undefined
  const wanted = word.toLowerCase()
  let best: string | undefined
  let least = Math.floor(Math.max(wanted.length, 3) / 3) + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= least) continue
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

/** Levenshtein distance, two rows. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = a[i - 1] === b[j - 1] ? 0 : 1
      row.push(Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + changed))
    }
    previous = row
  }
  return previous[b.length] ?? 0
}
