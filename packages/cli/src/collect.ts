/** Collects the values of an option that may stand several times; give it `[]` as default. */
export function collect(value: string, before: string[]): string[] {
  return [...before, value]
}
