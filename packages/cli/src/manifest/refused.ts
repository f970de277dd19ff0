import { MortiseProblem } from '@mortise/client'
import type { ShownFinding } from './show-findings.ts'

/** Returns the findings in the problem of a refused deploy; none if it was refused for another reason. */
export function findingsOfProblem(error: unknown): ShownFinding[] {
  if (!(error instanceof MortiseProblem) || error.status !== 422) return []
  return error.issues.flatMap(({ name, detail, remedy, value, context }) => {
    const { rule, line, column } = (context ?? {}) as { rule?: unknown; line?: unknown; column?: unknown }
    if (typeof rule !== 'string') return []
    const finding: ShownFinding = {
      level: 'error',
      rule,
      path: name ?? '$',
      line: typeof line === 'number' ? line : 0,
      column: typeof column === 'number' ? column : 0,
      message: detail ?? 'is not valid',
    }
    if (remedy !== undefined) finding.suggestion = remedy
    if (value !== undefined) finding.value = value
    return [finding]
  })
}
