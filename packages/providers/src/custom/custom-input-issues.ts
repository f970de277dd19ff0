import type { CustomAuthentication, CustomInput } from '../catalogue/format/custom-authentication.ts'
import { valueFault } from '../catalogue/value-fault.ts'
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
    if (inputValue(input, value) !== undefined) {
      const fault = typeof value === 'string' && isText(input) ? valueFault(input, value) : undefined
      return fault === undefined ? [] : issue('invalid', fault)
    }
    if (kind === 'json') return issue('invalid', `${displayName} must be a JSON object, its text, or Base64 of that.`)
    return issue('invalid', `${displayName} must be a list of words, or words with spaces between them.`)
  })
}

/** Whether the input is a text, the only kind with a pattern. */
function isText({ kind = 'text', fieldType }: CustomInput): boolean {
  return kind === 'text' && fieldType !== 'select'
}
