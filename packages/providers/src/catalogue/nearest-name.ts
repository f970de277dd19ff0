/** The name that was probably meant: equal without case and punctuation, else at most a third of its letters away. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  if (name.length === 0 || name.length > 100) return undefined
  const plain = simplify(name)
  let best: { name: string; distance: number } | undefined
  for (const candidate of names) {
    const distance = editDistance(plain, simplify(candidate))
    if (best === undefined || distance < best.distance) best = { name: candidate, distance }
  }
  return best !== undefined && best.distance <= Math.floor(plain.length / 3) ? best.name : undefined
}

function simplify(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Levenshtein distance, where two letters in the wrong order count as one mistake, one row at a time. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = isSwapped ? (before[j - 2] ?? 0) + 1 : substitute
      next.push(Math.min(substitute, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
