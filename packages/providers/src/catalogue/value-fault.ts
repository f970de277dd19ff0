import { compilePattern } from '../interpreter/pattern.ts'

/** How a provider file says that a value looks. */
export interface ValueForm {
  pattern?: string
  example?: string
}

/**
 * Returns what is wrong with the form of a value, in one sentence; undefined if it matches the pattern. The sentence
 * never contains the value, which may be a secret.
 */
export function valueFault({ pattern, example }: ValueForm, value: string): string | undefined {
  if (pattern === undefined || compilePattern(pattern).fits(value)) return undefined
  return example === undefined ? 'The value does not have the right format.' : `Enter a value like ${example}.`
}
