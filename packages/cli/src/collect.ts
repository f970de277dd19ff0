/** Collects the values of an option that can be repeated; give it `[]` as default. */
export function collect(value: string, before: string[]): string[] {
  return [...before, value]
}
