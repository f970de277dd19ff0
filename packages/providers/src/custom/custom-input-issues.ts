import type { CustomAuthentication } from '../catalogue/format/custom-authentication.ts'
import { inputValue } from './custom-variables.ts'

/** Something about what a customer gave. */
export interface CustomInputIssue {
  name: string
  displayName: string
  problem: 'missing' | 'invalid'
  /** A sentence for the user; the value itself is not repeated. */
  detail: string
}

/** Everything that is wrong with the inputs of custom authentication. */
export function customInputIssues(
  { inputs = [] }: CustomAuthentication,
  given: Readonly<Record<string, unknown>>,
): CustomInputIssue[] {
  return inputs.flatMap((input): CustomInputIssue[] => {
    const { name, displayName = name, kind } = input
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    const issue = (problem: 'missing' | 'invalid', detail: string) => [{ name, displayName, problem, detail }]
    if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0))
      return issue('missing', `${displayName} is needed.`)
    if (inputValue(input, value) !== undefined) return []
    if (kind === 'json') return issue('invalid', `${displayName} must be a JSON object, its text, or Base64 of that.`)
    return issue('invalid', `${displayName} must be a list of words, or words with spaces between them.`)
  })
}
