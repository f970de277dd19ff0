/**
 * Where a file does not hold what the facts say: everything of `facts` must be in `file`, which may say more. Items of
 * lists are told apart by their `name` or `scheme`; lists of plain values must be the same. `use` is no fact: the
 * file's templates decide it.
 */
export function missingFacts(facts: unknown, file: unknown, path = ''): string[] {
  if (Array.isArray(facts)) {
    if (!Array.isArray(file)) return [`${path} is missing`]
    const key = ['name', 'scheme'].find(
      (word) => facts.length > 0 && facts.every((item) => isMap(item) && word in item),
    )
    if (key === undefined) return same(facts, file) ? [] : [unlike(path, facts, file)]
    return facts.flatMap((item) => {
      const place = `${path}[${String(item[key])}]`
      const found: unknown = file.find((one) => isMap(one) && one[key] === item[key])
      return found === undefined ? [`${place} is missing`] : missingFacts(item, found, place)
    })
  }
  // A path may come with the part of the value that is wanted there.
  if (!isMap(facts)) return facts === (isMap(file) ? file['path'] : file) ? [] : [unlike(path, facts, file)]
  if (!isMap(file)) return [`${path} is missing`]
  const stated = Object.entries(facts).filter(([key]) => key !== 'use')
  return stated.flatMap(([key, value]) =>
    missingFacts(value, Object.hasOwn(file, key) ? file[key] : undefined, path === '' ? key : `${path}.${key}`),
  )
}

function unlike(path: string, facts: unknown, file: unknown): string {
  return `${path} is ${JSON.stringify(file) ?? 'missing'}, the facts say ${JSON.stringify(facts)}`
}

function same(a: readonly unknown[], b: readonly unknown[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
