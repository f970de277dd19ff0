/** A promise kept by name; forgotten when it fails, so that the next one asks again. */
export function memoize<T>(kept: Map<string, Promise<T>>, name: string, ask: () => Promise<T>): Promise<T> {
  const known = kept.get(name)
  if (known !== undefined) return known
  const asked = ask()
  kept.set(name, asked)
  asked.catch(() => kept.delete(name))
  return asked
}
