/** Fields of a level: undefined stands for everything in the field. */
type Kept = Map<string, Kept | undefined>

/**
 * Returns a function that keeps some fields of a value, or of each item of a list.
 *
 * @param paths of the fields; undefined for all
 */
export function keptFields(paths: readonly string[][] | undefined): (value: unknown) => unknown {
  if (!paths) return (value) => value
  const tree: Kept = new Map()
  for (const path of paths) add(tree, path)
  return (value) => keep(value, tree)
}

function add(tree: Kept, [name, ...rest]: readonly string[]): void {
  if (name === undefined) return
  const known = tree.get(name)
  if (rest.length === 0 || (tree.has(name) && known === undefined)) {
    tree.set(name, undefined)
    return
  }
  const below: Kept = known ?? new Map()
  tree.set(name, below)
  add(below, rest)
}

/** Recursion ends with the paths. A value that is not an object has no fields to choose from, and stays. */
function keep(value: unknown, tree: Kept): unknown {
  if (Array.isArray(value)) return value.map((item) => keep(item, tree))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      if (!tree.has(key)) return []
      const below = tree.get(key)
      return [[key, below ? keep(inner, below) : inner]]
    }),
  )
}
