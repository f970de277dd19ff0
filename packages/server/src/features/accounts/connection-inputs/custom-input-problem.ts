import type { CustomInputIssue } from '@mortise/providers'
import type { Issue } from '../../../kernel/http/index.ts'

/** Something about `customAuth` of a body; the value is not repeated. */
export function customInputProblem({ name, detail }: CustomInputIssue): Issue {
  return { in: 'body', name: `customAuth.${name}`, detail, remedy: `Send it as customAuth.${name}.` }
}
