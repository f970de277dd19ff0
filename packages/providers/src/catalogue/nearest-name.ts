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

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substitute, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
