import { UsageError } from '../usage-error.ts'

/**
 * Applies a list of the command line to the names that are chosen now: plain names replace them, `+name` adds one,
 * `-name` removes one, and `none` alone stands for no name.
 *
 * @throws UsageError for a mix of plain and signed names
 */
export function changedNames(
  option: string,
  entries: readonly string[],
  current: readonly string[],
  resolve: (name: string) => string = (name) => name,
): string[] {
  if (entries.length === 1 && entries[0] === 'none') return []
  const signed = entries.filter((entry) => /^[+-]/.test(entry))
  if (signed.length === 0) return [...new Set(entries.map(resolve))]
  if (signed.length < entries.length)
    throw new UsageError(
      `${option} mixes plain and signed names. Write all names plain to replace the list, or each with + or - to change it.`,
    )
  const names = new Set(current)
  for (const entry of entries) {
    const name = resolve(entry.slice(1))
    if (entry.startsWith('+')) names.add(name)
    else names.delete(name)
  }
  return [...names]
}
