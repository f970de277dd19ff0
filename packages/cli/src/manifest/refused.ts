import { MortiseProblem } from '@mortise/client'
import type { ShownFinding } from './show-findings.ts'

/** The findings that a refused deploy was answered with; none where it was refused for something else. */
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
