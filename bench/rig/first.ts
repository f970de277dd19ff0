/** Returns the first item. @throws Error when there is none */
export function first<T>(items: readonly T[]): T {
  const [item] = items
  if (item === undefined) throw new Error('The list is empty.')
  return item
}
